//! A frozen teacher beside the student.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{choice, dtype, whole},
    },
    formula::{b, n},
};

/// Bytes of states per trainable parameter; names for the choice. Sums of ZeRO's table (arXiv 1910.02054).
const RECIPES: [(&str, u64, (&str, &str)); 4] = [
    ("mixed", 16, ("混合精度 AdamW，FP32 主副本", "mixed-precision AdamW with an FP32 master copy")),
    ("pure", 8, ("纯 BF16 AdamW", "pure BF16 AdamW")),
    ("fp32", 16, ("FP32 AdamW", "FP32 AdamW")),
    ("sgd", 4, ("纯 BF16 SGD，无动量", "pure BF16 SGD without momentum")),
];

pub(super) fn recipe() -> crate::calculators::Input {
    let options = RECIPES.iter().map(|(id, _, name)| (*id, *name)).collect();
    choice("recipe", ("训练方式", "How it is trained"), "mixed", options)
}

pub(super) fn recipe_bytes(given: &Given) -> Result<u64, crate::LedgerError> {
    let id = given.choice("recipe")?;
    Ok(RECIPES.iter().find(|(known, ..)| *known == id).map_or(16, |(_, bytes, _)| *bytes))
}

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "distillation",
        name: Text::new("冻结的教师与学生", "A frozen teacher beside the student"),
        inputs: vec![
            whole("student", ("学生参数", "Parameters of the student"), "", 1_235_814_400, 1, 1 << 42),
            recipe(),
            whole("teacher", ("教师参数", "Parameters of the teacher"), "", 8_030_261_248, 1, 1 << 42),
            dtype("teacher_dtype", ("教师的格式", "Format of the teacher"), "bf16"),
            whole("tokens", ("一个微批次的 token 数", "Tokens of a micro-batch"), "tokens", 4096, 1, 1 << 24),
            whole("vocab", ("词表", "Vocabulary"), "", 128_256, 1, 1 << 22),
            whole(
                "top",
                ("只保留教师的前 k 个 logits（0 为全部）", "Logits kept of the teacher (0 for all)"),
                "",
                0,
                0,
                1 << 22,
            ),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (tokens, vocab) = (given.whole("tokens")?, given.whole("vocab")?);
    let kept = given.whole("top")?.min(vocab);
    let mut sheet = Sheet::default();
    let student = sheet.bytes(
        "student",
        ("学生的状态", "States of the student"),
        n(given.whole("student")?) * b(recipe_bytes(given)?),
    )?;
    let bits = given.dtype("teacher_dtype")?.bits();
    let teacher = sheet.bytes(
        "teacher",
        ("教师的权重：没有梯度与优化器", "Weights of the teacher: no gradients, no optimizer"),
        n(given.whole("teacher")?).of_bits(bits),
    )?;
    let own = sheet.bytes(
        "student_logits",
        ("学生的 FP32 logits", "FP32 logits of the student"),
        n(tokens) * n(vocab) * b(4),
    )?;
    // An index per kept value: int64 as torch.topk returns it.
    let targets = if kept == 0 { n(tokens) * n(vocab) * b(4) } else { n(tokens) * n(kept) * (b(4) + b(8)) };
    let targets = sheet.bytes("teacher_logits", ("教师的 logits", "Logits of the teacher"), targets)?;
    let total = sheet.bytes(
        "total",
        ("合计，不含激活", "Together, without activations"),
        n(student) + n(teacher) + n(own) + n(targets),
    )?;
    sheet.ratio("more", ("相对于没有教师的训练", "Compared with training without a teacher"), total, student + own);
    sheet.assume(
        "教师在 no_grad 下运行：激活一层层释放，不计",
        "The teacher runs without gradients: its activations are freed layer by layer and left out",
    );
    sheet.assume("两者的词表相同；损失的临时量不计", "Both share a vocabulary; temporaries of the loss are left out");
    sheet.assume("前 k 个 logits 带 int64 下标", "Kept logits carry int64 indices");
    Ok(sheet)
}
