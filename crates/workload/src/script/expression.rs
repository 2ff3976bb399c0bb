//! Expressions: read once into operations on a stack of values.

use super::error::Mistake;
use super::function::{Function, Operator};
use super::names::{DEFAULT_SEED, Meaning, Names};
use super::number::{Fault, Number};
use super::random::Random;
use super::token::{Keyword, Token, tokens};
use super::variables::Variables;

/// How deep brackets, signs and conditions may be nested.
const DEPTH_MAX: usize = 100;

/// An operation on the stack. A jump is to the operation with this index.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Push(Number),
    Load(usize),
    Apply(Operator),
    Call {
        function: Function,
        arguments: usize,
    },
    Not,
    Is(Number),
    IsNot(Number),
    /// The end of a conjunction whose left side is null or false, which it leaves.
    AndOr {
        ends_on: bool,
        to: usize,
    },
    /// Replaces the right side of a conjunction by its boolean.
    Truth,
    JumpUnlessTrue(usize),
    Jump(usize),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    operations: Vec<Operation>,
}

impl Expression {
    /// Reads `text`, whose variables are `names`.
    pub(crate) fn parse(text: &str, names: &mut Names) -> Result<Expression, Mistake> {
        let tokens = tokens(text)?;
        if tokens.is_empty() {
            return Err(Mistake::new("an expression is missing", "write a value, such as random(1, 100)"));
        }
        let mut parser = Parser { tokens: &tokens, next: 0, depth: 0, names, operations: Vec::new() };
        parser.expression(Level::Or)?;
        match parser.tokens.get(parser.next) {
            None => Ok(Expression { operations: parser.operations }),
            Some(token) => Err(unexpected(Some(token))),
        }
    }

    /// Its value; `stack` is empty before and after.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        variables: &Variables,
        random: &mut Random,
        stack: &mut Vec<Number>,
    ) -> Result<Number, Fault> {
        stack.clear();
        let mut at = 0;
        while let Some(operation) = self.operations.get(at) {
            at += 1;
            match *operation {
                Operation::Push(number) => stack.push(number),
                Operation::Load(slot) => stack.push(variables.number(slot)?),
                Operation::Jump(to) => at = to,
                Operation::Call { function, arguments } => {
                    let from = stack.len().saturating_sub(arguments);
                    let value = function.call(&stack[from..], random)?;
                    stack.truncate(from);
                    stack.push(value);
                }
                Operation::Apply(operator) => {
                    let right = pop(stack);
                    let left = pop(stack);
                    stack.push(operator.apply(left, right)?);
                }
                Operation::JumpUnlessTrue(to) => {
                    if !pop(stack).is_true() {
                        at = to;
                    }
                }
                Operation::AndOr { ends_on, to } => {
                    let left = pop(stack);
                    if left == Number::Null || left.to_bool()? == ends_on {
                        stack.push(left);
                        at = to;
                    }
                }
                unary => {
                    let value = pop(stack);
                    stack.push(of_one(unary, value)?);
                }
            }
        }
        Ok(pop(stack))
    }
}

/// What is on top of the stack, which the reader of the expression has seen to be there.
#[inline]
fn pop(stack: &mut Vec<Number>) -> Number {
    stack.pop().unwrap_or(Number::Null)
}

fn of_one(operation: Operation, value: Number) -> Result<Number, Fault> {
    // A value of another type is not equal to any boolean.
    match operation {
        Operation::Not if value != Number::Null => value.to_bool().map(|value| Number::Bool(!value)),
        Operation::Is(expected) => Ok(Number::Bool(value == expected)),
        Operation::IsNot(expected) => Ok(Number::Bool(value != expected)),
        Operation::Truth if value != Number::Null => value.to_bool().map(Number::Bool),
        _ => Ok(value),
    }
}

/// How strongly operators bind, the weakest first (pgbench's documentation, "Built-in Operators").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Is,
    Comparison,
    Bits,
    Sum,
    Product,
    Sign,
}

impl Level {
    /// The next stronger one.
    fn above(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Is,
            Level::Is => Level::Comparison,
            Level::Comparison => Level::Bits,
            Level::Bits => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Sign => Level::Sign,
        }
    }
}

/// The operator of a symbol, and how strongly it binds.
fn operator(symbol: &str) -> Option<(Operator, Level)> {
    Some(match symbol {
        "<" => (Operator::Less, Level::Comparison),
        "<=" => (Operator::LessOrEqual, Level::Comparison),
        ">" => (Operator::Greater, Level::Comparison),
        ">=" => (Operator::GreaterOrEqual, Level::Comparison),
        "=" => (Operator::Equal, Level::Comparison),
        "<>" | "!=" => (Operator::NotEqual, Level::Comparison),
        "|" => (Operator::BitOr, Level::Bits),
        "#" => (Operator::BitXor, Level::Bits),
        "&" => (Operator::BitAnd, Level::Bits),
        "<<" => (Operator::ShiftLeft, Level::Bits),
        ">>" => (Operator::ShiftRight, Level::Bits),
        "+" => (Operator::Add, Level::Sum),
        "-" => (Operator::Subtract, Level::Sum),
        "*" => (Operator::Multiply, Level::Product),
        "/" => (Operator::Divide, Level::Product),
        "%" => (Operator::Modulo, Level::Product),
        _ => return None,
    })
}

struct Parser<'a, 't> {
    tokens: &'a [Token<'t>],
    next: usize,
    depth: usize,
    names: &'a mut Names,
    operations: Vec<Operation>,
}

impl<'t> Parser<'_, 't> {
    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.next)
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Token::Symbol(found)) if *found == symbol);
        self.next += usize::from(is_it);
        is_it
    }

    fn take_keyword(&mut self, keyword: Keyword) -> bool {
        let is_it = self.peek() == Some(&Token::Keyword(keyword));
        self.next += usize::from(is_it);
        is_it
    }

    fn expect_symbol(&mut self, symbol: &'static str) -> Result<(), Mistake> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(expected(symbol, self.peek())) }
    }

    fn emit(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// An operation whose jump is set by [`Parser::land`].
    fn emit_jump(&mut self, operation: Operation) -> usize {
        self.emit(operation);
        self.operations.len() - 1
    }

    /// Lets the jump at `index` lead to what is emitted next.
    fn land(&mut self, index: usize) {
        let here = self.operations.len();
        if let Some(Operation::Jump(to) | Operation::JumpUnlessTrue(to) | Operation::AndOr { to, .. }) =
            self.operations.get_mut(index)
        {
            *to = here;
        }
    }

    /// Reads an expression of operators that bind at least as strongly as `least`.
    fn expression(&mut self, least: Level) -> Result<(), Mistake> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Mistake::new(
                format!("an expression is nested deeper than {DEPTH_MAX} levels"),
                "set parts of it as variables of their own",
            ));
        }
        self.operand()?;
        // `1 < 2 < 3` has no meaning, but `1 < 2 is null < 3` has.
        let mut is_compared = false;
        while let Some(token) = self.peek() {
            match token {
                Token::Keyword(Keyword::Or) if least <= Level::Or => self.conjunction(true, Level::Or)?,
                Token::Keyword(Keyword::And) if least <= Level::And => self.conjunction(false, Level::And)?,
                Token::Keyword(Keyword::Is | Keyword::IsNull | Keyword::NotNull) if least <= Level::Is => {
                    self.is()?;
                    is_compared = false;
                }
                Token::Symbol(symbol) => match operator(symbol) {
                    Some((_, Level::Comparison)) if is_compared => return Err(unexpected(Some(token))),
                    Some((operator, level)) if least <= level => {
                        self.next += 1;
                        self.expression(level.above())?;
                        self.emit(Operation::Apply(operator));
                        is_compared = level == Level::Comparison;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// The right side of AND, or of OR, which ends on true.
    fn conjunction(&mut self, ends_on: bool, level: Level) -> Result<(), Mistake> {
        self.next += 1;
        let end = self.emit_jump(Operation::AndOr { ends_on, to: 0 });
        self.expression(level.above())?;
        self.emit(Operation::Truth);
        self.land(end);
        Ok(())
    }

    /// What follows a value: `IS [NOT] NULL`, `IS [NOT] TRUE`, `ISNULL`.
    fn is(&mut self) -> Result<(), Mistake> {
        if self.take_keyword(Keyword::IsNull) {
            self.emit(Operation::Is(Number::Null));
            return Ok(());
        }
        if self.take_keyword(Keyword::NotNull) {
            self.emit(Operation::IsNot(Number::Null));
            return Ok(());
        }
        self.next += 1;
        let is_not = self.take_keyword(Keyword::Not);
        let value = match self.peek() {
            Some(Token::Keyword(Keyword::Null)) => Number::Null,
            Some(Token::Keyword(Keyword::True)) => Number::Bool(true),
            Some(Token::Keyword(Keyword::False)) => Number::Bool(false),
            other => return Err(expected("null, true or false after is", other)),
        };
        self.next += 1;
        self.emit(if is_not { Operation::IsNot(value) } else { Operation::Is(value) });
        Ok(())
    }

    /// A value, with the signs before it.
    fn operand(&mut self) -> Result<(), Mistake> {
        let token = self.tokens.get(self.next);
        self.next += 1;
        match token {
            Some(Token::Int(value)) => self.emit(Operation::Push(Number::Int(*value))),
            Some(Token::Double(value)) => self.emit(Operation::Push(Number::Double(*value))),
            Some(Token::Variable(name)) => self.variable(name)?,
            Some(Token::Name(name)) => self.call(name)?,
            Some(Token::Keyword(Keyword::Null)) => self.emit(Operation::Push(Number::Null)),
            Some(Token::Keyword(Keyword::True)) => self.emit(Operation::Push(Number::Bool(true))),
            Some(Token::Keyword(Keyword::False)) => self.emit(Operation::Push(Number::Bool(false))),
            Some(Token::Keyword(Keyword::Case)) => self.case()?,
            Some(Token::Keyword(Keyword::Not)) => {
                self.expression(Level::Is)?;
                self.emit(Operation::Not);
            }
            Some(Token::Symbol("(")) => {
                self.expression(Level::Or)?;
                self.expect_symbol(")")?;
            }
            Some(Token::Symbol("+")) => self.expression(Level::Sign)?,
            Some(Token::Symbol("-")) if self.peek() == Some(&Token::IntBeyond) => {
                self.next += 1;
                self.emit(Operation::Push(Number::Int(i64::MIN)));
            }
            // As pgbench has them: what is subtracted from 0, and all bits set.
            Some(Token::Symbol("-")) => self.unary(0, Level::Sign, Operator::Subtract)?,
            Some(Token::Symbol("~")) => self.unary(-1, Level::Sum, Operator::BitXor)?,
            Some(Token::IntBeyond) => {
                return Err(Mistake::new(
                    "integer 9223372036854775808 is above 9223372036854775807",
                    "write a smaller one, or a double such as 1e19",
                ));
            }
            other => return Err(unexpected(other)),
        }
        Ok(())
    }

    fn unary(&mut self, left: i64, level: Level, operator: Operator) -> Result<(), Mistake> {
        self.emit(Operation::Push(Number::Int(left)));
        self.expression(level)?;
        self.emit(Operation::Apply(operator));
        Ok(())
    }

    fn variable(&mut self, name: &str) -> Result<(), Mistake> {
        match self.names.meaning(name) {
            Some(Meaning::Slot(slot)) => self.emit(Operation::Load(slot)),
            Some(Meaning::Constant(text)) => match Number::of_text(&text) {
                Some(number) => self.emit(Operation::Push(number)),
                None => {
                    return Err(Mistake::new(
                        format!("variable {name} is `{text}`, which is no value of an expression"),
                        "define it as a number, a boolean or null",
                    ));
                }
            },
            None => {
                return Err(Mistake::new(
                    format!("variable {name} is never set"),
                    format!("set it before with \\set {name}, or define it with --define {name}=VALUE"),
                ));
            }
        }
        Ok(())
    }

    fn call(&mut self, name: &str) -> Result<(), Mistake> {
        let Some((function, least, most)) = Function::named(name) else {
            let like = base::similar(name, Function::names());
            return Err(Mistake::new(
                format!("function {name} is not known"),
                match like.first() {
                    Some(like) => format!("did you mean {like}?"),
                    None => format!("the functions are {}", Function::names().collect::<Vec<&str>>().join(", ")),
                },
            ));
        };
        self.expect_symbol("(")?;
        let mut arguments = 0;
        while !self.take_symbol(")") {
            if arguments > 0 {
                self.expect_symbol(",")?;
            }
            self.expression(Level::Or)?;
            arguments += 1;
        }
        if !(least..=most).contains(&arguments) {
            let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let message = format!("{name} has {arguments} arguments, and takes {takes}");
            return Err(Mistake::new(message, "see the functions of pgbench's documentation"));
        }
        if function.is_seeded() && arguments < most {
            self.variable(DEFAULT_SEED)?;
            arguments += 1;
        }
        self.emit(Operation::Call { function, arguments });
        Ok(())
    }

    /// `WHEN condition THEN value ... [ELSE value] END`: null if no condition holds and there is no other value.
    fn case(&mut self) -> Result<(), Mistake> {
        let mut ends = Vec::new();
        while self.take_keyword(Keyword::When) {
            self.expression(Level::Or)?;
            let next = self.emit_jump(Operation::JumpUnlessTrue(0));
            if !self.take_keyword(Keyword::Then) {
                return Err(expected("then", self.peek()));
            }
            self.expression(Level::Or)?;
            ends.push(self.emit_jump(Operation::Jump(0)));
            self.land(next);
        }
        if ends.is_empty() {
            return Err(expected("when", self.peek()));
        }
        match self.take_keyword(Keyword::Else) {
            true => self.expression(Level::Or)?,
            false => self.emit(Operation::Push(Number::Null)),
        }
        if !self.take_keyword(Keyword::End) {
            return Err(expected("end", self.peek()));
        }
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }
}

/// `token` as it stands in the text, nearly.
fn shown(token: Option<&Token<'_>>) -> String {
    match token {
        None => "the end of the line".to_owned(),
        Some(Token::Int(value)) => format!("`{value}`"),
        Some(Token::IntBeyond) => "`9223372036854775808`".to_owned(),
        Some(Token::Double(value)) => format!("`{value}`"),
        Some(Token::Variable(name)) => format!("`:{name}`"),
        Some(Token::Name(name)) => format!("`{name}`"),
        Some(Token::Keyword(keyword)) => format!("`{}`", format!("{keyword:?}").to_lowercase()),
        Some(Token::Symbol(symbol)) => format!("`{symbol}`"),
    }
}

fn unexpected(token: Option<&Token<'_>>) -> Mistake {
    Mistake::new(
        format!("{} cannot stand here in an expression", shown(token)),
        "see the operators of pgbench's documentation",
    )
}

fn expected(what: &str, found: Option<&Token<'_>>) -> Mistake {
    Mistake::new(format!("{} stands where {what} is expected", shown(found)), format!("write {what} there"))
}
