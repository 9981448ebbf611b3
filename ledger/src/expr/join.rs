//! Functions over other expressions: ratio, percent, difference, sum, times.

use super::{ExprError, Quantity, Unit, Value, arguments::Arguments, functions, parse::Node};

/// The operands' values; plain numbers count where `numbers` says so.
fn operands(call: &Arguments<'_>, numbers: bool) -> Result<Vec<Quantity>, ExprError> {
    call.operands
        .iter()
        .map(|node| match node {
            Node::Literal { value: Value::Number(number, written) } if numbers => {
                let whole = number.fract() == 0.0 && (0.0..=(1u64 << 53) as f64).contains(number);
                Ok(Quantity {
                    unit: Unit::Ratio,
                    value: *number,
                    exact: whole.then_some(*number as u64),
                    formula: written.clone(),
                    compound: false,
                })
            }
            Node::Literal { value } => Err(ExprError::WrongValue {
                at: call.at,
                name: call.function.to_owned(),
                expected: "an expression in parentheses",
                found: value.picture(),
            }),
            call @ Node::Call { .. } => functions::value_of(call),
        })
        .collect()
}

fn pair(call: &Arguments<'_>) -> Result<(Quantity, Quantity), ExprError> {
    let found = call.operands.len();
    let list: Result<[Quantity; 2], _> = operands(call, false)?.try_into();
    let [left, right] = list.map_err(|_| ExprError::Operands {
        at: call.at,
        function: call.function,
        expected: "two expressions in parentheses",
        found,
    })?;
    same_unit(call, &left, &right)?;
    Ok((left, right))
}

/// The only operand.
pub(super) fn single(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let found = call.operands.len();
    let list: Result<[Quantity; 1], _> = operands(call, false)?.try_into();
    let [only] = list.map_err(|_| ExprError::Operands {
        at: call.at,
        function: call.function,
        expected: "one expression in parentheses",
        found,
    })?;
    Ok(only)
}

fn same_unit(call: &Arguments<'_>, left: &Quantity, right: &Quantity) -> Result<(), ExprError> {
    if left.unit == right.unit {
        return Ok(());
    }
    Err(ExprError::UnitMismatch {
        at: call.at,
        function: call.function,
        left: left.unit.name(),
        right: right.unit.name(),
    })
}

fn quotient(call: &Arguments<'_>) -> Result<(f64, String), ExprError> {
    let (left, right) = pair(call)?;
    if right.value == 0.0 {
        return Err(ExprError::DivisionByZero { at: call.at, function: call.function });
    }
    Ok((left.value / right.value, format!("{} ÷ {}", left.inner(), right.inner())))
}

/// First ÷ second.
pub(super) fn ratio(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (value, formula) = quotient(call)?;
    Ok(Quantity::real(Unit::Ratio, value, formula))
}

/// First ÷ second, in per cent.
pub(super) fn percent(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (value, formula) = quotient(call)?;
    Ok(Quantity::real(Unit::Percent, value * 100.0, format!("{formula} × 100%")))
}

/// First − second; negative where the second is larger.
pub(super) fn difference(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (left, right) = pair(call)?;
    Ok(Quantity {
        unit: left.unit,
        value: left.value - right.value,
        exact: left.exact.zip(right.exact).and_then(|(left, right)| left.checked_sub(right)),
        formula: format!("{} − {}", left.inner(), right.inner()),
        compound: true,
    })
}

/// All operands together.
pub(super) fn sum(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let mut rest = operands(call, false)?.into_iter();
    let Some(mut total) = rest.next() else {
        return Err(ExprError::Operands {
            at: call.at,
            function: call.function,
            expected: "expressions in parentheses",
            found: 0,
        });
    };
    for next in rest {
        same_unit(call, &total, &next)?;
        total = Quantity {
            unit: total.unit,
            value: total.value + next.value,
            exact: total.exact.zip(next.exact).and_then(|(left, right)| left.checked_add(right)),
            formula: format!("{} + {}", total.formula, next.formula),
            compound: true,
        };
    }
    Ok(total)
}

/// A quantity multiplied by plain numbers or ratios.
pub(super) fn times(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let list = operands(call, true)?;
    if list.len() < 2 {
        return Err(ExprError::Operands {
            at: call.at,
            function: call.function,
            expected: "an expression in parentheses and at least one number",
            found: list.len(),
        });
    }
    let mut unit = Unit::Ratio;
    for next in &list {
        unit = match (unit, next.unit) {
            (Unit::Ratio, other) => other,
            (kept, Unit::Ratio) => kept,
            // Parameters × bytes per parameter, tokens × bytes per token.
            (Unit::Bytes, Unit::Count) | (Unit::Count, Unit::Bytes) => Unit::Bytes,
            (Unit::Count, Unit::Count) => Unit::Count,
            (left, right) => {
                return Err(ExprError::UnitMismatch {
                    at: call.at,
                    function: call.function,
                    left: left.name(),
                    right: right.name(),
                });
            }
        };
    }
    Ok(Quantity {
        unit,
        value: list.iter().map(|next| next.value).product(),
        exact: list.iter().try_fold(1u64, |product, next| product.checked_mul(next.exact?)),
        formula: list.iter().map(Quantity::inner).collect::<Vec<_>>().join(" × "),
        compound: true,
    })
}
