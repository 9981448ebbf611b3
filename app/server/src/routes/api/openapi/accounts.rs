//! What needs a token: reports. The example of a report is one of the demo class, the example of an answer its grade;
//! a test sends the one and gets the other.

use evidence::{GradeContext, GradeLine, Lang};
use serde_json::{Value, json};
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::Type;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, ObjectBuilder, RefOr, Required, ResponseBuilder, Schema};

use super::super::{Listed, Submitted};
use super::{Document, id, object, operation};
use crate::cli::demo::reports;
use crate::http::Problem;

pub(super) fn describe(document: &mut Document) {
    let problem = document.schema::<Problem>();
    let submitted = document.schema::<Submitted>();
    let graded = document.schema::<GradeLine>();
    let listed = document.schema::<Listed>();
    let token = || SecurityRequirement::new("token", Vec::<String>::new());

    let (sent, answered) = example();
    let report =
        object("A lab report: vramlab-report/v1 (/schema/report-v1.json) or a shape of the course, 1 MiB at most");
    let sent = ContentBuilder::new().schema(Some(report)).example(Some(sent)).build();
    let answer = |description: &str| {
        let content = ContentBuilder::new().schema(Some(submitted.clone())).example(answered.clone()).build();
        ResponseBuilder::new().description(description).content("application/json", content).build()
    };
    let submit = operation("Hands in a report", "reports", submitted.clone(), &problem)
        .request_body(Some(
            RequestBodyBuilder::new().content("application/json", sent).required(Some(Required::True)).build(),
        ))
        .response("201", answer("Stored and graded"))
        .response("200", answer("These very bytes were here before; their grade"))
        .security(token());
    document.add("/api/v1/reports", HttpMethod::Post, submit.build());

    let list = RefOr::T(Schema::Array(utoipa::openapi::schema::Array::new(listed)));
    let list = operation("One's own reports, newest first", "reports", list, &problem).security(token());
    document.add("/api/v1/reports", HttpMethod::Get, list.build());
    let one = operation("One report's grade", "reports", graded, &problem).parameter(id()).security(token());
    document.add("/api/v1/reports/{id}", HttpMethod::Get, one.build());

    let results = object("A results.json: score, tests with score, max_score, output, visibility");
    let results = operation("The grade for Gradescope", "reports", results, &problem).parameter(id()).security(token());
    document.add("/api/v1/reports/{id}/results.json", HttpMethod::Get, results.build());
    let xml =
        ContentBuilder::new().schema(Some(Schema::Object(ObjectBuilder::new().schema_type(Type::String).build())));
    let xml = ResponseBuilder::new().description("The answer").content("application/xml", xml.build()).build();
    let junit = operation("The grade as JUnit XML", "reports", object("XML"), &problem)
        .response("200", xml)
        .parameter(id())
        .security(token());
    document.add("/api/v1/reports/{id}/junit.xml", HttpMethod::Get, junit.build());
}

/// A report, and what the grader says of it when it comes as an upload; the id of an answer is of its time.
fn example() -> (Value, Option<Value>) {
    let report = reports::desktop_strategies();
    let answer = evidence::read(report.to_string().as_bytes()).ok().map(|read| {
        let line = GradeLine::graded("", &labs::grade(&read, &GradeContext::default()), Lang::En);
        let id = "01980000-0000-7000-8000-000000000000";
        let url = format!("https://course.example/en/reports/{id}");
        let mut answer = json!({ "id": id, "url": url, "new": true, "held": false });
        if let (Value::Object(answer), Ok(Value::Object(line))) = (&mut answer, serde_json::to_value(line)) {
            answer.extend(line);
        }
        answer
    });
    (report, answer)
}
