import { codes } from "restwright";
import { describe, expect, test } from "vitest";
import { defaultMultipartLimits } from "../../../../src/parts/multipart/multipartLimits.js";
import { leftOf, nothing } from "../left.js";
import { formOf, partOf } from "../multipart/forms.js";
import { malformedForms, soundForm } from "../multipart/malformedForms.js";
import { openForms } from "./formStage.js";

const file = partOf('name="f"; filename="f.txt"', "hello");
const boundaryB = "multipart/form-data; boundary=b";

describe("a form on a socket is refused, and nothing of it is kept, for", () => {
  test.each(malformedForms.map((form) => ({ name: form[0], form })))("$name", async ({ form: [, body, code, , options = {}] }) => {
    const { contentType = boundaryB, chunkBytes: _, timers: __, ...limits } = options;
    const stage = await openForms({ form: { limits } });
    const headers = { "content-type": Buffer.from(contentType).toString("latin1") };
    const answer = await stage.send("POST", "/avatars", { headers: contentType === "" ? {} : headers, body });
    const { status } = codes[code as keyof typeof codes];
    expect({ status: answer.status, code: answer.json.code, type: answer.headers["content-type"] }).toEqual({
      status,
      code,
      type: "application/problem+json",
    });
    expect([await leftOf(stage), stage.faults]).toEqual([nothing, []]);
  });

  // A file stands in front, which is whole when the fault is found.
  const behindFile = malformedForms.filter(
    ([, body, code, , options]) => options === undefined && body.startsWith("--b\r\nContent-D") && code !== "TOO_MANY_FILES",
  );

  test.each(behindFile.map((form) => ({ name: form[0], form })))("$name, behind a file", async ({ form: [, body, code] }) => {
    const stage = await openForms({ form: { limits: { ...defaultMultipartLimits, fields: 1_000, parts: 1_000 } } });
    const answer = await stage.send("POST", "/avatars", { headers: { "content-type": boundaryB }, body: `--b\r\n${file}\r\n${body}` });
    const expected = code === "TOO_MANY_FIELDS" ? 201 : codes[code as keyof typeof codes].status;
    expect(answer.status).toBe(expected);
    if (expected !== 201) expect([await leftOf(stage), stage.faults]).toEqual([nothing, []]);
  });

  test("no other reason", async () => {
    const stage = await openForms();
    expect(behindFile.length).toBeGreaterThan(30);
    const body = `--b\r\n${file}\r\n${soundForm}`;
    expect((await stage.send("POST", "/avatars", { headers: { "content-type": boundaryB }, body })).status).toBe(201);
    expect((await stage.send("POST", "/avatars", { headers: { "content-type": boundaryB }, body: formOf(file) })).status).toBe(201);
  });
});
