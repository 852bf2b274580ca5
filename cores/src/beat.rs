//! A beat of payload and whether it can be trusted.
#![allow(missing_docs)] // accessors as the derive makes them
use rust_hdl::prelude::*;

/// A word of `D` bits, at most 1,023. What `LogicStruct` would make, had it room for a number.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Beat<const D: usize> {
    /// First byte lowest.
    pub data: Bits<D>,
    /// Memory answered with an error.
    pub bad: Bit,
}

impl<const D: usize> Beat<D> {
    pub fn get_my_width_data(&self) -> usize {
        D
    }

    pub fn get_my_offset_data(&self) -> usize {
        0
    }

    pub fn get_my_width_bad(&self) -> usize {
        1
    }

    pub fn get_my_offset_bad(&self) -> usize {
        D
    }
}

impl<const D: usize> Synth for Beat<D> {
    const BITS: usize = D + 1;

    fn descriptor() -> TypeDescriptor {
        let field = |name: &str, kind| {
            Box::new(TypeField {
                fieldname: name.into(),
                kind,
            })
        };
        TypeDescriptor {
            name: "Beat".into(),
            kind: TypeKind::Composite(vec![
                field("data", Bits::<D>::descriptor()),
                field("bad", Bit::descriptor()),
            ]),
        }
    }

    fn vcd(self) -> VCDValue {
        VCDValue::Composite(vec![Box::new(self.data.vcd()), Box::new(self.bad.vcd())])
    }

    fn verilog(self) -> VerilogLiteral {
        bit_cast::<1024, D>(self.data)
            .replace_bit(D, self.bad)
            .into()
    }
}
