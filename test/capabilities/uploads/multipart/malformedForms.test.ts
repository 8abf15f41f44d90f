import { describe, expect, test } from "vitest";
import { readForm } from "./forms.js";
import { malformedForms, soundForm } from "./malformedForms.js";

describe("a form is refused for", () => {
  test.each(malformedForms.map((form) => ({ name: form[0], form })))("$name", async ({ form: [, body, code, detail, options] }) => {
    const { error } = await readForm(body, options);
    expect(error).toMatchObject({ code, message: expect.stringContaining(detail) });
    const byBytes = await readForm(body, { ...options, chunkBytes: 1 });
    expect(byBytes.error).toMatchObject({ code, message: expect.stringContaining(detail) });
  });

  test("no other reason", async () => {
    expect(malformedForms.length).toBeGreaterThan(60);
    expect(await readForm(soundForm)).toEqual({ parts: [{ name: "a", value: "1" }], error: undefined });
  });
});
