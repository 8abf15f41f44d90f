import { createService, defineResource } from "restwright";
import { bearer, digest, sigv4 } from "restwright/auth";
import { docs } from "restwright/docs";
import { formats } from "restwright/formats";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { expect, test } from "vitest";
import { z } from "zod";
import { type FormShape, formShapes } from "../../../src/capabilities/docs/reading/formFields.js";
import type { Spec } from "../../../src/capabilities/docs/reading/spec.js";
import { clientOf } from "../../tools/client.js";
import { attributesOf, textOf } from "./pageSite.js";

const spec: Spec = {
  info: {},
  components: { schemas: { City: { type: "object", required: ["name"], properties: { name: { type: "string" }, zip: { type: "string" } } } } },
};
const file = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };

function fieldsOf(properties: object, required: readonly string[] = []): FormShape["fields"] {
  const [shape] = formShapes(spec, { "multipart/form-data": { schema: { type: "object", properties, required } } });
  return shape?.fields ?? [];
}

test.each([
  ["a text", { type: "string" }, [{ name: "a", kind: "text" }]],
  ["a number that may be null", { type: ["integer", "null"] }, [{ name: "a", kind: "text" }]],
  ["an enum", { enum: ["x", 2, null] }, [{ name: "a", kind: "choice", values: ["x", "2"] }]],
  ["a boolean", { type: "boolean" }, [{ name: "a", kind: "choice", values: ["true", "false"] }]],
  ["a file", file, [{ name: "a", kind: "file" }]],
  ["a picture", { contentMediaType: "image/png" }, [{ name: "a", kind: "file" }]],
  ["bytes in base64", { type: "string", contentEncoding: "base64", contentMediaType: "image/png" }, [{ name: "a", kind: "text" }]],
  ["several files", { type: "array", items: file }, [{ name: "a", kind: "files" }]],
  ["several texts", { type: "array", items: { type: "string" } }, [{ name: "a", kind: "lines" }]],
  [
    "an object that a reference names",
    { anyOf: [{ $ref: "#/components/schemas/City" }, { type: "null" }] },
    [
      { name: "a[name]", kind: "text" },
      { name: "a[zip]", kind: "text" },
    ],
  ],
  ["the first of several objects", { type: "array", items: { type: "object", properties: { sku: {} } } }, [{ name: "a[0][sku]", kind: "text" }]],
  ["what the server sets", { type: "string", readOnly: true }, []],
])("a form offers %s", (_, schema, fields) => {
  expect(fieldsOf({ a: schema })).toEqual(fields);
});

test("a member is required if all that it is in are required", () => {
  const city = { $ref: "#/components/schemas/City" };
  expect(fieldsOf({ a: city, b: city }, ["b"])).toEqual([
    { name: "a[name]", kind: "text" },
    { name: "a[zip]", kind: "text" },
    { name: "b[name]", kind: "text", required: true },
    { name: "b[zip]", kind: "text" },
  ]);
});

test("a schema that contains itself ends", () => {
  const endless: Spec = {
    info: {},
    components: { schemas: { Part: { type: "object", properties: { part: { $ref: "#/components/schemas/Part" } } } } },
  };
  expect(formShapes(endless, { "multipart/form-data": { schema: { $ref: "#/components/schemas/Part" } } })[0]?.fields).toEqual([]);
});

test("types with the same schema are one form, and a form may take further fields", () => {
  const media = { schema: { type: "object", additionalProperties: { anyOf: [file, { type: "string" }] } } };
  const types = ["application/x-www-form-urlencoded", "multipart/form-data"];
  expect(formShapes(spec, { "application/json": media, [types[0] ?? ""]: media, [types[1] ?? ""]: media })).toEqual([
    { types, fields: [], isOpen: true },
  ]);
  expect(formShapes(spec, { "multipart/form-data": { schema: { type: "object", additionalProperties: false } } })).toEqual([
    { types: ["multipart/form-data"], fields: [] },
  ]);
});

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string() }),
  generated: { id: "increment" },
  accepts: ["json", "multipart"],
});
const verifiers = {
  digest: digest({ ha1: () => undefined }),
  sigv4: sigv4({ secret: () => undefined, service: "notes", region: "eu-west-1" }),
  bearer: bearer(() => undefined),
};

async function pageWith(...names: readonly (keyof typeof verifiers)[]): Promise<string> {
  const auth = names.map((name) => verifiers[name]);
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    logger: false,
    auth,
    use: [formats(), openapi({ info: { title: "Notes", version: "1" } }), docs()],
  });
  return (await clientOf(service)({ target: "/docs" })).text;
}

test("an operation that takes signed requests only says which, and its curl line signs", async () => {
  const page = await pageWith("digest", "sigv4");
  expect(new Set(attributesOf(page, "data-signed"))).toEqual(new Set(["Digest or AWS Signature V4"]));
  expect(attributesOf(page, "data-signing")).toEqual(["Digest and AWS Signature V4"]);
  expect(attributesOf(page, "data-schemes")).toEqual(["[]"]);
  expect(textOf(page)).toContain("--digest --user 'NAME:PASSWORD'");
  expect(textOf(page)).toContain("// fetch does not sign requests, which Digest needs.");
  expect(textOf(page)).not.toContain("Authorization: digest");
  expect(textOf(await pageWith("sigv4"))).toContain("--aws-sigv4 'aws:amz:REGION:SERVICE' --user 'ACCESS_KEY_ID:SECRET_ACCESS_KEY'");
});

test("an operation that also takes a token can be sent", async () => {
  const page = await pageWith("bearer", "digest");
  expect(attributesOf(page, "data-signed")).toEqual([]);
  expect(attributesOf(page, "data-signing")).toEqual(["Digest"]);
  expect(textOf(page)).toContain("Authorization: Bearer CREDENTIALS");
  expect(attributesOf(await pageWith("bearer"), "data-signing")).toEqual([]);
  expect(attributesOf(await pageWith(), "data-signed")).toEqual([]);
});
