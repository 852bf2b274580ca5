"""Reads frames as lines of hex; for each takes the fields that scapy sees, builds a frame out of nothing but these
and the bytes after BTH, and prints the fields and that frame. Lengths, checksum and ICRC are scapy's own."""
import sys
import warnings

warnings.filterwarnings("ignore")
from scapy.contrib.roce import BTH  # noqa: E402
from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from scapy.layers.l2 import Ether  # noqa: E402
from scapy.packet import Raw, bind_layers  # noqa: E402

bind_layers(UDP, BTH, dport=4791)

for line in sys.stdin:
    frame = bytes.fromhex(line.strip())
    seen = Ether(frame)
    udp, bth = seen[UDP], seen[BTH]
    if IP in seen:
        ip = seen[IP]
        ecn = ip.tos & 3
        network = IP(src=ip.src, dst=ip.dst, tos=ip.tos, id=ip.id, flags=ip.flags, ttl=ip.ttl)
    else:
        ip = seen[IPv6]
        ecn = ip.tc & 3
        network = IPv6(src=ip.src, dst=ip.dst, tc=ip.tc, fl=ip.fl, hlim=ip.hlim)
    start = 14 + len(network) + 8 + 12
    again = (
        Ether(src=seen.src, dst=seen.dst)
        / network
        / UDP(sport=udp.sport, dport=udp.dport, chksum=udp.chksum)
        / BTH(opcode=bth.opcode, padcount=bth.padcount, pkey=bth.pkey, dqpn=bth.dqpn, ackreq=bth.ackreq, psn=bth.psn)
        / Raw(frame[start:-4])
    )
    fields = (bth.opcode, bth.padcount, bth.dqpn, bth.ackreq, bth.psn, udp.sport, udp.dport, ecn)
    print(",".join(str(field) for field in fields), bytes(again).hex())
