//! A reader of printed formulas, written apart from the code that prints them.

/// `+ − × ÷`, brackets, `⌈…⌉`, `⌊…⌋`, grouped numbers, `B` after a number.
struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

/// A value as a fraction, so that divisions inside brackets are exact until they are rounded.
type Fraction = (u128, u128);

pub fn evaluate(formula: &str) -> Result<u128, String> {
    let mut reader = Reader { rest: formula.chars().peekable() };
    let value = reader.sum()?;
    match (reader.peek(), value) {
        (None, (top, bottom)) if top % bottom == 0 => Ok(top / bottom),
        (None, _) => Err("not a whole number".to_owned()),
        (Some(letter), _) => Err(format!("unexpected {letter:?}")),
    }
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|letter| *letter == ' ').is_some() {}
        self.rest.peek().copied()
    }

    fn sum(&mut self) -> Result<Fraction, String> {
        let mut left = self.product()?;
        while let Some(operator @ ('+' | '−')) = self.peek() {
            self.rest.next();
            let right = self.product()?;
            let (a, c) = (left.0 * right.1, right.0 * left.1);
            let top = if operator == '+' { a + c } else { a.checked_sub(c).ok_or("negative")? };
            left = (top, left.1 * right.1);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Fraction, String> {
        let mut left = self.atom()?;
        while let Some(operator @ ('×' | '÷')) = self.peek() {
            self.rest.next();
            let right = self.atom()?;
            left = if operator == '×' {
                (left.0.checked_mul(right.0).ok_or("too large")?, left.1 * right.1)
            } else {
                (left.0 * right.1, left.1 * right.0)
            };
            if left.1 == 0 {
                return Err("division by zero".to_owned());
            }
        }
        Ok(left)
    }

    fn closing(&mut self, closing: char) -> Result<(), String> {
        match self.peek() {
            Some(letter) if letter == closing => {
                self.rest.next();
                Ok(())
            }
            other => Err(format!("expected {closing}, found {other:?}")),
        }
    }

    fn atom(&mut self) -> Result<Fraction, String> {
        match self.peek() {
            Some('(') => {
                self.rest.next();
                let value = self.sum()?;
                self.closing(')')?;
                Ok(value)
            }
            Some('⌈') => {
                self.rest.next();
                let (top, bottom) = self.sum()?;
                self.closing('⌉')?;
                Ok((top.div_ceil(bottom), 1))
            }
            Some('⌊') => {
                self.rest.next();
                let (top, bottom) = self.sum()?;
                self.closing('⌋')?;
                Ok((top / bottom, 1))
            }
            Some(letter) if letter.is_ascii_digit() => self.number(),
            other => Err(format!("expected a number, found {other:?}")),
        }
    }

    fn number(&mut self) -> Result<Fraction, String> {
        let mut value = 0u128;
        while let Some(letter) = self.rest.next_if(|letter| letter.is_ascii_digit() || *letter == ',') {
            if let Some(digit) = letter.to_digit(10) {
                value = value.checked_mul(10).ok_or("too large")? + u128::from(digit);
            }
        }
        if self.peek() == Some('B') {
            self.rest.next();
        }
        Ok((value, 1))
    }
}
