import { createService, type Service } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { type FormOptions, uploads } from "restwright/uploads";
import { expect, test } from "vitest";
import { formShapes } from "../../../src/capabilities/docs/reading/formFields.js";
import { clientOf } from "../../tools/client.js";
import { operationsOf, resolved } from "./stage.js";

const file = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };
const files = { anyOf: [{ type: "array", items: file }, file] };
const text = { type: "string" };
const texts = { anyOf: [text, { type: "array", items: text }] };

function serviceOf(form: Partial<FormOptions>): Service & OpenApiCalls {
  const use = [
    uploads({ blobs: memoryBlobs(), types: "any", forms: { reports: { types: "any", ...form } } }),
    openapi({ info: { title: "Forms", version: "1.0.0" } }),
  ];
  return createService({ resources: [], storage: memoryStorage(), logger: false, use }) as unknown as Service & OpenApiCalls;
}

async function contentOf(form: Partial<FormOptions>) {
  const service = serviceOf(form);
  try {
    const document = await service.document();
    const operation = operationsOf(document).get("reports.create");
    return { summary: operation?.summary, content: resolved(document, operation?.requestBody).content };
  } finally {
    await service.close();
  }
}

const schemas: readonly (readonly [string, Omit<FormOptions, "types">, object])[] = [
  ["any parts", {}, { properties: { report: file }, additionalProperties: { anyOf: [file, text] } }],
  [
    "fields and files by their names",
    { fields: ["title", "tag"], files: ["front", "back"], requiredFiles: ["front"] },
    { properties: { title: texts, tag: texts, front: files, back: files }, required: ["front"], additionalProperties: false },
  ],
  [
    "one file",
    { fields: [], files: ["picture"], limits: { files: 1 } },
    { properties: { picture: file }, required: ["picture"], additionalProperties: false },
  ],
  ["files by their names beside any field", { files: ["a", "b"] }, { properties: { a: files, b: files }, additionalProperties: { anyOf: [text] } }],
  [
    "a file that must be there among any",
    { fields: ["title"], requiredFiles: ["scan"] },
    { properties: { title: texts, scan: files }, required: ["scan"], additionalProperties: { anyOf: [file] } },
  ],
];

test.each(schemas)("a form with %s is described by them", async (_, form, schema) => {
  const { summary, content } = await contentOf(form);
  expect(summary).toBe("Send a form to reports");
  expect(content).toEqual({ "multipart/form-data": { schema: { type: "object", properties: {}, required: [], ...schema } } });
});

test("the media types of a form are those of its named files", async () => {
  const { content } = await contentOf({ types: ["image/png", "application/pdf"], fields: ["title"], files: ["front", "back"] });
  const contentType = "image/png, application/pdf";
  expect(content["multipart/form-data"].encoding).toEqual({ front: { contentType }, back: { contentType } });
});

test("the docs page offers the named parts of a form", async () => {
  const { content } = await contentOf({ fields: ["title"], files: ["front", "back"], requiredFiles: ["front"] });
  const spec = { paths: {}, components: {} } as unknown as Parameters<typeof formShapes>[0];
  expect(formShapes(spec, content)).toEqual([
    {
      types: ["multipart/form-data"],
      fields: [
        { name: "title", kind: "text" },
        { name: "front", kind: "files", required: true },
        { name: "back", kind: "files" },
      ],
    },
  ]);
});

test("a form with the parts of its description is accepted, and one with another is refused", async () => {
  const service = serviceOf({ fields: ["title"], files: ["picture"], limits: { files: 1 } });
  const send = clientOf(service);
  const post = (field: string) => {
    const parts = [
      [`Content-Disposition: form-data; name="${field}"`, "a"],
      ['Content-Disposition: form-data; name="picture"; filename="a.txt"', "b"],
    ];
    const body = `${parts.map(([head, value]) => `--x\r\n${head}\r\n\r\n${value}\r\n`).join("")}--x--\r\n`;
    return send({ method: "POST", target: "/reports", headers: { "content-type": "multipart/form-data; boundary=x" }, body: Buffer.from(body) });
  };
  expect((await post("title")).status).toBe(201);
  expect((await post("name")).json).toMatchObject({ status: 400, code: "UNKNOWN_FIELD", field: "name" });
  await service.close();
});
