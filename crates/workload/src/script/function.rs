//! Functions and operators of expressions, those of pgbench's documentation ("Built-in Operators", "Built-in Functions").

use super::hash::{fnv1a, murmur2, permute};
use super::number::{Fault, Number};
use super::random::Random;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Debug,
    Double,
    Exp,
    Greatest,
    HashFnv1a,
    HashMurmur2,
    Int,
    Least,
    Ln,
    Mod,
    Permute,
    Pi,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    Sqrt,
}

/// The most arguments of a call, as in pgbench.
pub(crate) const ARGUMENTS_MAX: usize = 16;

/// Each function: its name, and how many arguments it takes. One less than those of a hash or permutation is a call with the
/// variable `default_seed` as the last one.
const FUNCTIONS: [(&str, Function, usize, usize); 21] = [
    ("abs", Function::Abs, 1, 1),
    ("debug", Function::Debug, 1, 1),
    ("double", Function::Double, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("greatest", Function::Greatest, 1, ARGUMENTS_MAX),
    ("hash", Function::HashMurmur2, 1, 2),
    ("hash_fnv1a", Function::HashFnv1a, 1, 2),
    ("hash_murmur2", Function::HashMurmur2, 1, 2),
    ("int", Function::Int, 1, 1),
    ("least", Function::Least, 1, ARGUMENTS_MAX),
    ("ln", Function::Ln, 1, 1),
    ("mod", Function::Mod, 2, 2),
    ("permute", Function::Permute, 2, 3),
    ("pi", Function::Pi, 0, 0),
    ("pow", Function::Power, 2, 2),
    ("power", Function::Power, 2, 2),
    ("random", Function::Random, 2, 2),
    ("random_exponential", Function::RandomExponential, 3, 3),
    ("random_gaussian", Function::RandomGaussian, 3, 3),
    ("random_zipfian", Function::RandomZipfian, 3, 3),
    ("sqrt", Function::Sqrt, 1, 1),
];

impl Function {
    /// The function called `name`, in letters of any case, with the least and the most of its arguments.
    pub(crate) fn named(name: &str) -> Option<(Function, usize, usize)> {
        let found = FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        found.map(|(_, function, least, most)| (*function, *least, *most))
    }

    /// The names of all of them.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        FUNCTIONS.iter().map(|(name, ..)| *name)
    }

    /// Whether a call with one argument less than the most means `default_seed`.
    pub(crate) fn is_seeded(self) -> bool {
        matches!(self, Function::HashFnv1a | Function::HashMurmur2 | Function::Permute)
    }

    /// Its value. Of an argument that is null, all but `debug` make null.
    pub(crate) fn call(self, arguments: &[Number], random: &mut Random) -> Result<Number, Fault> {
        if self != Function::Debug && arguments.contains(&Number::Null) {
            return Ok(Number::Null);
        }
        match *arguments {
            [] => Ok(Number::Double(std::f64::consts::PI)),
            [one] if !matches!(self, Function::Greatest | Function::Least) => self.of_one(one),
            [low, high] if self == Function::Random => random.uniform(low.to_int()?, high.to_int()?).map(Number::Int),
            [one, other] => self.of_two(one, other),
            [first, second, third] => self.of_three([first, second, third], random),
            _ => self.of_many(arguments),
        }
    }

    fn of_one(self, value: Number) -> Result<Number, Fault> {
        match (self, value) {
            (Function::Debug, value) => Ok(value),
            (Function::Abs, Number::Int(value)) => Ok(Number::Int(value.wrapping_abs())),
            (Function::Int, value) => value.to_int().map(Number::Int),
            _ => {
                let value = value.to_double()?;
                Ok(Number::Double(match self {
                    Function::Abs => value.abs(),
                    Function::Exp => value.exp(),
                    Function::Ln => value.ln(),
                    Function::Sqrt => value.sqrt(),
                    _ => value,
                }))
            }
        }
    }

    fn of_two(self, one: Number, other: Number) -> Result<Number, Fault> {
        match self {
            Function::Mod => Operator::Modulo.apply(one, other),
            Function::Power => Ok(Number::Double(one.to_double()?.powf(other.to_double()?))),
            Function::HashFnv1a => Ok(Number::Int(fnv1a(one.to_int()?, other.to_int()?))),
            Function::HashMurmur2 => Ok(Number::Int(murmur2(one.to_int()?, other.to_int()?))),
            _ => self.of_many(&[one, other]),
        }
    }

    fn of_three(self, arguments: [Number; 3], random: &mut Random) -> Result<Number, Fault> {
        let [first, second, third] = arguments;
        let drawn = match self {
            Function::Permute => {
                let (value, size, seed) = (first.to_int()?, second.to_int()?, third.to_int()?);
                match size > 0 {
                    true => Ok(permute(value, size, seed)),
                    false => Err(Fault::new(format!("size {size} of permute is not above 0"))),
                }
            }
            Function::RandomExponential => random.exponential(first.to_int()?, second.to_int()?, third.to_double()?),
            Function::RandomGaussian => random.gaussian(first.to_int()?, second.to_int()?, third.to_double()?),
            Function::RandomZipfian => random.zipfian(first.to_int()?, second.to_int()?, third.to_double()?),
            _ => return self.of_many(&arguments),
        };
        drawn.map(Number::Int)
    }

    /// The least or the greatest: a double if one of them is.
    fn of_many(self, arguments: &[Number]) -> Result<Number, Fault> {
        let is_double = arguments.iter().any(|value| matches!(value, Number::Double(_)));
        let is_least = self == Function::Least;
        if is_double {
            let mut values = arguments.iter().map(|value| value.to_double());
            let better = |one: f64, other: f64| if is_least { one.min(other) } else { one.max(other) };
            let start = if is_least { f64::INFINITY } else { f64::NEG_INFINITY };
            return values.try_fold(start, |best, value| Ok(better(best, value?))).map(Number::Double);
        }
        let mut values = arguments.iter().map(|value| value.to_int());
        let better = |one: i64, other: i64| if is_least { one.min(other) } else { one.max(other) };
        let start = if is_least { i64::MAX } else { i64::MIN };
        values.try_fold(start, |best, value| Ok(better(best, value?))).map(Number::Int)
    }
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

impl Operator {
    /// The value of `left` and `right`: null if one of them is; a double if one of them is, but for the remainder and for bits.
    pub(crate) fn apply(self, left: Number, right: Number) -> Result<Number, Fault> {
        use Operator::{BitAnd, BitOr, BitXor, Modulo, ShiftLeft, ShiftRight};
        if left == Number::Null || right == Number::Null {
            return Ok(Number::Null);
        }
        let is_double = matches!(left, Number::Double(_)) || matches!(right, Number::Double(_));
        match self {
            BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight | Modulo => self.of_ints(left.to_int()?, right.to_int()?),
            _ if is_double => Ok(self.of_doubles(left.to_double()?, right.to_double()?)),
            _ => self.of_ints(left.to_int()?, right.to_int()?),
        }
    }

    fn of_doubles(self, left: f64, right: f64) -> Number {
        match self {
            Operator::Add => Number::Double(left + right),
            Operator::Subtract => Number::Double(left - right),
            Operator::Multiply => Number::Double(left * right),
            Operator::Divide => Number::Double(left / right),
            Operator::Equal => Number::Bool(left == right),
            Operator::NotEqual => Number::Bool(left != right),
            Operator::Less => Number::Bool(left < right),
            Operator::LessOrEqual => Number::Bool(left <= right),
            Operator::Greater => Number::Bool(left > right),
            Operator::GreaterOrEqual => Number::Bool(left >= right),
            // These are of integers.
            _ => Number::Null,
        }
    }

    fn of_ints(self, left: i64, right: i64) -> Result<Number, Fault> {
        let checked = |value: Option<i64>, sign: &str| match value {
            Some(value) => Ok(Number::Int(value)),
            None => Err(Fault::new(format!("{left} {sign} {right} does not fit an integer of 64 bits"))),
        };
        if right == 0 && matches!(self, Operator::Divide | Operator::Modulo) {
            return Err(Fault::new(format!("{left} is divided by zero")));
        }
        match self {
            Operator::Add => checked(left.checked_add(right), "+"),
            Operator::Subtract => checked(left.checked_sub(right), "-"),
            Operator::Multiply => checked(left.checked_mul(right), "*"),
            Operator::Divide => checked(left.checked_div(right), "/"),
            // Of the least integer and -1 it is 0, too.
            Operator::Modulo => Ok(Number::Int(left.wrapping_rem(right))),
            Operator::Equal => Ok(Number::Bool(left == right)),
            Operator::NotEqual => Ok(Number::Bool(left != right)),
            Operator::Less => Ok(Number::Bool(left < right)),
            Operator::LessOrEqual => Ok(Number::Bool(left <= right)),
            Operator::Greater => Ok(Number::Bool(left > right)),
            Operator::GreaterOrEqual => Ok(Number::Bool(left >= right)),
            Operator::BitAnd => Ok(Number::Int(left & right)),
            Operator::BitOr => Ok(Number::Int(left | right)),
            Operator::BitXor => Ok(Number::Int(left ^ right)),
            // By the lower six bits of the count, as processors do.
            Operator::ShiftLeft => Ok(Number::Int(left.wrapping_shl(right as u32))),
            Operator::ShiftRight => Ok(Number::Int(left.wrapping_shr(right as u32))),
        }
    }
}
