dff_w8.v
dff_w1.v
dimmer.v
