import { describe, expect, test } from "vitest";
import { readForm } from "./forms.js";
import { soundForms } from "./soundForms.js";

describe("a form is read with", () => {
  test.each(soundForms.map((form) => ({ name: form[0], form })))("$name", async ({ form: [, body, parts, options] }) => {
    for (const chunkBytes of [1_000_000, 1, 2, 3, 7]) expect(await readForm(body, { ...options, chunkBytes })).toEqual({ parts, error: undefined });
  });
});
