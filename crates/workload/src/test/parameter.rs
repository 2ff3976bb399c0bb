//! A parameter of a test, which may depend on the preset.

use std::fmt;

use record::Preset;
use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};

/// One number for each preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    smoke: i64,
    quick: i64,
    standard: i64,
    publish: i64,
}

impl Parameter {
    pub(crate) fn at(&self, preset: Preset) -> i64 {
        match preset {
            Preset::Smoke => self.smoke,
            Preset::Quick => self.quick,
            // As large, for longer.
            Preset::Standard | Preset::Soak => self.standard,
            Preset::Publish => self.publish,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    smoke: i64,
    quick: i64,
    standard: i64,
    publish: i64,
}

/// An integer for all presets, or one for each.
impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Parameter, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Parameter;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an integer, or one for each of smoke, quick, standard and publish")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Parameter, E> {
                Ok(Parameter { smoke: number, quick: number, standard: number, publish: number })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Parameter, A::Error> {
                let Each { smoke, quick, standard, publish } = Each::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Parameter { smoke, quick, standard, publish })
            }
        }
        deserializer.deserialize_any(Form)
    }
}
