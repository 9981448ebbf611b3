//! `name key=value … (nested …)` → a tree with positions.

use super::{ExprError, functions};

pub(super) const MAX_DEPTH: usize = 16;
pub(super) const MAX_LENGTH: usize = 2_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(f64, String),
    Text(String),
}

impl Value {
    pub(super) fn picture(&self) -> String {
        match self {
            Value::Number(_, written) => written.clone(),
            Value::Text(text) => format!("{text:?}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    pub at: usize,
    pub name: String,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Call { at: usize, name: String, arguments: Vec<Argument>, operands: Vec<Node> },
    Literal { value: Value },
}

impl Node {
    /// Something in the tree asks a ledger.
    pub(super) fn asks_ledger(&self) -> bool {
        match self {
            Node::Literal { .. } => false,
            Node::Call { name, operands, .. } => functions::is_quantity(name) || operands.iter().any(Node::asks_ledger),
        }
    }
}

struct Cursor<'a> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Chars<'a>>>,
    length: usize,
}

impl Cursor<'_> {
    fn at(&mut self) -> usize {
        self.rest.peek().map_or(self.length, |(at, _)| *at) + 1
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, letter)| *letter)
    }

    fn skip_space(&mut self) {
        while self.rest.next_if(|(_, letter)| letter.is_whitespace()).is_some() {}
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some((_, letter)) = self.rest.next_if(|(_, letter)| keep(*letter)) {
            taken.push(letter);
        }
        taken
    }

    fn wrong(&mut self, expected: &'static str) -> ExprError {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |letter| format!("{letter:?}"));
        ExprError::Syntax { at: self.at(), expected, found }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

pub(super) fn parse(source: &str) -> Result<Node, ExprError> {
    let length = source.chars().count();
    if length > MAX_LENGTH {
        return Err(ExprError::TooLong { length, limit: MAX_LENGTH });
    }
    let mut cursor = Cursor { rest: source.chars().enumerate().peekable(), length };
    cursor.skip_space();
    let node = match cursor.peek() {
        None => return Err(ExprError::Empty { known: functions::known() }),
        Some(letter) if letter.is_ascii_alphabetic() => call(&mut cursor, 0)?,
        Some(_) => operand(&mut cursor, 0)?,
    };
    cursor.skip_space();
    if cursor.peek().is_some() {
        return Err(cursor.wrong("the end of the expression"));
    }
    Ok(node)
}

/// A function and everything up to the end or the closing parenthesis.
fn call(cursor: &mut Cursor<'_>, depth: usize) -> Result<Node, ExprError> {
    let at = cursor.at();
    let name = cursor.take_while(is_word);
    let (mut arguments, mut operands) = (Vec::<Argument>::new(), Vec::new());
    loop {
        cursor.skip_space();
        match cursor.peek() {
            None | Some(')') => break,
            Some(letter) if letter.is_ascii_alphabetic() => {
                let next = argument(cursor)?;
                if arguments.iter().any(|known| known.name == next.name) {
                    return Err(ExprError::RepeatedArgument { at: next.at, name: next.name });
                }
                arguments.push(next);
            }
            Some(_) => operands.push(operand(cursor, depth)?),
        }
    }
    Ok(Node::Call { at, name, arguments, operands })
}

fn argument(cursor: &mut Cursor<'_>) -> Result<Argument, ExprError> {
    let at = cursor.at();
    let name = cursor.take_while(is_word);
    cursor.skip_space();
    if cursor.rest.next_if(|(_, letter)| *letter == '=').is_none() {
        return Err(cursor.wrong("= and a value after the argument's name"));
    }
    cursor.skip_space();
    Ok(Argument { at, name, value: value(cursor)? })
}

fn operand(cursor: &mut Cursor<'_>, depth: usize) -> Result<Node, ExprError> {
    if cursor.peek() != Some('(') {
        return Ok(Node::Literal { value: value(cursor)? });
    }
    let at = cursor.at();
    if depth >= MAX_DEPTH {
        return Err(ExprError::TooDeep { at, limit: MAX_DEPTH });
    }
    cursor.rest.next();
    cursor.skip_space();
    let node = match cursor.peek() {
        Some(letter) if letter.is_ascii_alphabetic() => call(cursor, depth + 1)?,
        _ => return Err(cursor.wrong("a function's name")),
    };
    if cursor.rest.next_if(|(_, letter)| *letter == ')').is_none() {
        return Err(cursor.wrong("a closing parenthesis"));
    }
    Ok(node)
}

/// A number (`8192`, `8_192`, `0.5`) or a text in double quotes.
fn value(cursor: &mut Cursor<'_>) -> Result<Value, ExprError> {
    let at = cursor.at();
    match cursor.peek() {
        Some('"') => {
            cursor.rest.next();
            let text = cursor.take_while(|letter| letter != '"');
            match cursor.rest.next() {
                Some(_) => Ok(Value::Text(text)),
                None => Err(cursor.wrong("a closing quotation mark")),
            }
        }
        Some(letter) if letter.is_ascii_digit() || letter == '.' || letter == '-' => {
            let written = cursor.take_while(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
            match written.replace('_', "").parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Value::Number(number, written)),
                _ => Err(ExprError::Syntax { at, expected: "a number", found: format!("{written:?}") }),
            }
        }
        _ => Err(cursor.wrong("a number, a \"text\" or a parenthesis")),
    }
}
