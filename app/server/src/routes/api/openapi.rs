//! `GET /api/v1/openapi.json`: what the API takes and answers. Schemas come from the types, names of inputs from the
//! list that the command line reads as well.

mod accounts;

use evidence::budget::Grid;
use ledger::calculators::{Calculator, Kind, Sheet};
use ledger::catalogue::Card;
use ledger::snapshot::Replay;
use ui::state::names::{self, Field};
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, PathsBuilder, Ref, RefOr,
    Required, ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

use crate::answers::{
    DecisionAnswer, FewestAnswer, InferenceAnswer, ModelAnswer, ParallelAnswer, PlanAnswer, ScriptAnswer,
    ServingAnswer, TrainingAnswer, calculators,
};
use crate::http::Problem;

/// Schemas of the document, and paths as they are added.
#[derive(Default)]
struct Document {
    schemas: Vec<(String, RefOr<Schema>)>,
    paths: PathsBuilder,
}

impl Document {
    /// A reference to a type's schema, which is added with everything it names.
    fn schema<T: ToSchema + PartialSchema>(&mut self) -> RefOr<Schema> {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        RefOr::Ref(Ref::from_schema_name(T::name()))
    }

    fn add(&mut self, path: &str, method: HttpMethod, operation: Operation) {
        let paths = std::mem::take(&mut self.paths);
        self.paths = paths.path(path, PathItem::new(method, operation));
    }

    /// A ledger: inputs as a query or as a JSON object.
    fn ledger<T: ToSchema + PartialSchema>(&mut self, path: &str, summary: &str, fields: &[Field]) {
        let answer = self.schema::<T>();
        let problem = self.schema::<Problem>();
        let fields: Vec<Field> = names::MODEL.iter().chain(fields).copied().collect();
        let asked = operation(summary, "ledger", answer.clone(), &problem)
            .parameters(Some(fields.iter().map(|field| query(field.name, field.help))));
        self.add(path, HttpMethod::Get, asked.build());
        let object = fields.iter().fold(ObjectBuilder::new(), |object, field| {
            object.property(field.name, ObjectBuilder::new().description(Some(field.help)))
        });
        let sent = operation(summary, "ledger", answer, &problem).request_body(Some(body(
            "application/json",
            RefOr::T(Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(false))).build())),
        )));
        self.add(path, HttpMethod::Post, sent.build());
    }

    fn listed<T: ToSchema + PartialSchema>(&mut self, path: &str, summary: &str) {
        let item = self.schema::<T>();
        let problem = self.schema::<Problem>();
        let list = RefOr::T(Schema::Array(utoipa::openapi::schema::Array::new(item)));
        self.add(path, HttpMethod::Get, operation(summary, "ledger", list, &problem).build());
    }
}

fn operation(summary: &str, tag: &str, answer: RefOr<Schema>, problem: &RefOr<Schema>) -> OperationBuilder {
    let json = |description: &str, kind: &str, schema: RefOr<Schema>| {
        let content = ContentBuilder::new().schema(Some(schema)).build();
        ResponseBuilder::new().description(description).content(kind, content).build()
    };
    OperationBuilder::new()
        .summary(Some(summary))
        .tag(tag)
        .response("200", json("The answer", "application/json", answer))
        .response("default", json("What is wrong, and where", "application/problem+json", problem.clone()))
}

fn query(name: &str, help: &str) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .description(Some(help))
        .schema(Some(text))
        .build()
}

fn id() -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    ParameterBuilder::new()
        .name("id")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(text))
        .build()
}

fn body(kind: &str, schema: RefOr<Schema>) -> utoipa::openapi::request_body::RequestBody {
    RequestBodyBuilder::new()
        .content(kind, ContentBuilder::new().schema(Some(schema)).build())
        .required(Some(Required::True))
        .build()
}

/// Any JSON object: described elsewhere, or by its producer.
fn object(description: &str) -> RefOr<Schema> {
    RefOr::T(Schema::Object(ObjectBuilder::new().description(Some(description)).build()))
}

fn calculator(document: &mut Document, calculator: &Calculator) {
    let (answer, problem) = (document.schema::<Sheet>(), document.schema::<Problem>());
    let help = |kind: &Kind, name: &str| match kind {
        Kind::Whole { unit, default, min, max } => format!("{name}: {min} to {max} {unit} [default: {default}]"),
        Kind::Decimal { unit, default, min, max } => format!("{name}: {min} to {max} {unit} [default: {default}]"),
        Kind::Choice { default, options } => {
            let ids: Vec<&str> = options.iter().map(|option| option.id.as_ref()).collect();
            format!("{name}: {} [default: {default}]", ids.join(", "))
        }
    };
    let inputs = calculator.inputs.iter().map(|input| query(&input.id, &help(&input.kind, &input.name.en)));
    let asked = operation(&calculator.name.en, "calculators", answer, &problem).parameters(Some(inputs));
    document.add(&format!("/api/v1/ledger/calculators/{}", calculator.id), HttpMethod::Get, asked.build());
}

/// The budget grid: a report as the body, the axes as the query.
fn budget(document: &mut Document) {
    let (answer, problem) = (document.schema::<Grid>(), document.schema::<Problem>());
    let report = object("A report of lab 76 or 75, or a vramlab-report/v1; nothing is stored");
    let axes = [
        ("caps", "memory caps: MiB, 0.9x the baseline, -5% [default: 9500, 10000, 11200]"),
        ("rates", "throughput floors: samples/s, 0.7x, -30% [default: 0.5x, 0.7x, 0.9x]"),
        ("losses", "ceilings of the held-out loss: nats, 1.02x, +2% [default: +1%, +2%, +5%]"),
    ];
    let asked = operation("The decision under a grid of limits, and what flips it", "reports", answer, &problem)
        .parameters(Some(axes.map(|(name, help)| query(name, help))))
        .request_body(Some(body("application/json", report)));
    document.add("/api/v1/budget", HttpMethod::Post, asked.build());
}

/// The whole document.
pub fn document() -> OpenApi {
    let mut document = Document::default();
    document.listed::<ModelAnswer>("/api/v1/ledger/models", "The models of the catalogue with their exact counts");
    document.listed::<Card>("/api/v1/ledger/cards", "The cards of the catalogue with sources");
    document.listed::<Calculator>("/api/v1/ledger/calculators", "The small calculators with their inputs");
    document.ledger::<InferenceAnswer>("/api/v1/ledger/inference", "What serving needs", names::INFERENCE);
    document.ledger::<ServingAnswer>("/api/v1/ledger/serving", "A serving engine with a paged cache", names::SERVING);
    document.ledger::<TrainingAnswer>("/api/v1/ledger/training", "What a training step needs", names::TRAINING);
    document.ledger::<ParallelAnswer>("/api/v1/ledger/parallel", "What each rank holds and sends", names::PARALLEL);
    let goal = Field { name: "goal", help: "train or serve [default: train]" };
    let plan: Vec<Field> = std::iter::once(goal).chain(names::PLAN.iter().copied()).collect();
    document.ledger::<PlanAnswer>("/api/v1/ledger/plans", "The fastest way with the cards at hand", &plan);
    document.ledger::<FewestAnswer>("/api/v1/ledger/fewest", "The fewest cards on which a goal fits", &plan);
    document.ledger::<DecisionAnswer>(
        "/api/v1/ledger/decisions",
        "From a task to a plan, branch by branch",
        names::DECIDE,
    );
    let (answer, problem) = (document.schema::<ScriptAnswer>(), document.schema::<Problem>());
    let fields: Vec<Field> =
        std::iter::once(Field { name: "script", help: "alloc NAME SIZE, free NAME, later NAME, empty" })
            .chain(names::SCRIPT.iter().copied())
            .collect();
    let scripts = operation("Runs a script of the caching allocator", "allocator", answer, &problem)
        .parameters(Some(fields.iter().map(|field| query(field.name, field.help))));
    document.add("/api/v1/ledger/allocator/scripts", HttpMethod::Get, scripts.build());
    for one in calculators() {
        calculator(&mut document, one);
    }
    let (replay, problem) = (document.schema::<Replay>(), document.schema::<Problem>());
    let pickle = object("The bytes of torch.cuda.memory._dump_snapshot(), read as plain data");
    let replays = operation("Replays a PyTorch memory snapshot", "allocator", replay, &problem)
        .request_body(Some(body("application/octet-stream", pickle)));
    document.add("/api/v1/ledger/allocator/replays", HttpMethod::Post, replays.build());
    accounts::describe(&mut document);
    budget(&mut document);
    accounts(&mut document);
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = ComponentsBuilder::new()
        .schemas_from_iter(document.schemas)
        .security_scheme("token", SecurityScheme::Http(bearer))
        .build();
    let info = InfoBuilder::new()
        .title("Vramlab")
        .description(Some("Ledgers of GPU memory, reports and their grades. Bytes are integers."))
        .version(env!("CARGO_PKG_VERSION"))
        .build();
    OpenApiBuilder::new().info(info).paths(document.paths.build()).components(Some(components)).build()
}
