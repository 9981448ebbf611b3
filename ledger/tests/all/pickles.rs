//! Plain Python values, written as Python and PyTorch's own C++ writer write them.

use std::collections::HashMap;

#[derive(Clone)]
pub enum Py {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Py>),
    Tuple(Vec<Py>),
    Dict(Vec<(&'static str, Py)>),
}

impl From<u64> for Py {
    fn from(number: u64) -> Self {
        Py::Int(number.into())
    }
}

impl From<&str> for Py {
    fn from(text: &str) -> Self {
        Py::Text(text.to_owned())
    }
}

/// A pickle of that protocol, 2 to 5. Texts are written once and recalled by number.
pub fn dump(value: &Py, protocol: u8) -> Vec<u8> {
    let mut writer = Writer { out: vec![0x80, protocol], texts: HashMap::new(), memo: 0, protocol };
    if protocol >= 4 {
        // A frame: eight bytes of length, which readers may ignore.
        writer.out.push(0x95);
        writer.out.extend([0; 8]);
    }
    writer.write(value);
    writer.out.push(b'.');
    writer.out
}

struct Writer {
    out: Vec<u8>,
    texts: HashMap<String, u32>,
    memo: u32,
    protocol: u8,
}

impl Writer {
    fn remember(&mut self) -> u32 {
        match (self.protocol, u8::try_from(self.memo)) {
            (4.., _) => self.out.push(0x94),
            (_, Ok(number)) => self.out.extend([b'q', number]),
            _ => {
                self.out.push(b'r');
                self.out.extend(self.memo.to_le_bytes());
            }
        }
        self.memo += 1;
        self.memo - 1
    }

    fn text(&mut self, text: &str) {
        if let Some(number) = self.texts.get(text) {
            match u8::try_from(*number) {
                Ok(number) => self.out.extend([b'h', number]),
                Err(_) => {
                    self.out.push(b'j');
                    self.out.extend(number.to_le_bytes());
                }
            }
            return;
        }
        match u8::try_from(text.len()) {
            Ok(length) if self.protocol >= 4 => self.out.extend([0x8c, length]),
            _ => {
                self.out.push(b'X');
                self.out.extend((text.len() as u32).to_le_bytes());
            }
        }
        self.out.extend(text.as_bytes());
        let number = self.remember();
        self.texts.insert(text.to_owned(), number);
    }

    fn int(&mut self, number: i128) {
        if let Ok(number) = u8::try_from(number) {
            self.out.extend([b'K', number]);
        } else if let Ok(number) = u16::try_from(number) {
            self.out.push(b'M');
            self.out.extend(number.to_le_bytes());
        } else if let Ok(number) = i32::try_from(number) {
            self.out.push(b'J');
            self.out.extend(number.to_le_bytes());
        } else if let Ok(number) = i64::try_from(number) {
            self.out.extend([0x8a, 8]);
            self.out.extend(number.to_le_bytes());
        } else {
            self.out.extend([0x8a, 16]);
            self.out.extend(number.to_le_bytes());
        }
    }

    fn write(&mut self, value: &Py) {
        match value {
            Py::None => self.out.push(b'N'),
            Py::Bool(flag) => self.out.push(if *flag { 0x88 } else { 0x89 }),
            Py::Int(number) => self.int(*number),
            Py::Float(number) => {
                self.out.push(b'G');
                self.out.extend(number.to_be_bytes());
            }
            Py::Text(text) => self.text(text),
            Py::List(items) => {
                self.out.push(b']');
                self.remember();
                self.out.push(b'(');
                items.iter().for_each(|item| self.write(item));
                self.out.push(b'e');
            }
            Py::Tuple(items) => {
                self.out.push(b'(');
                items.iter().for_each(|item| self.write(item));
                self.out.push(b't');
                self.remember();
            }
            Py::Dict(items) => {
                self.out.push(b'}');
                self.remember();
                self.out.push(b'(');
                for (key, value) in items {
                    self.text(key);
                    self.write(value);
                }
                self.out.push(b'u');
            }
        }
    }
}
