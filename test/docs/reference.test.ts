// @slow

import { describe, expect, test } from "vitest";
import { anchorsOf } from "../../docs/site/pages/markdown.js";
import { referencePages } from "../../docs/site/reference/referencePages.js";
import { publicFunctions } from "../ground/options/places.js";

const pages = referencePages();

describe("the reference of the site", () => {
  test("has a page for each entry, with each function that it exports", async () => {
    for (const key of (await publicFunctions()).keys()) {
      const [entry = "", name = ""] = key.split(" ");
      const page = pages.get(`api/${entry === "." ? "restwright" : entry.slice(2).replaceAll("/", "-")}.md`) ?? "";
      expect(anchorsOf(page).includes(name.toLowerCase()) || page.includes(`[\`${name}\`](`), key).toBe(true);
    }
  }, 60_000);

  test("shows functions without bodies, with texts, errors and examples", () => {
    const page = pages.get("api/auth.md") ?? "";
    expect(page).toContain("```ts\nfunction equalSecrets(a: string, b: string): boolean;\n```");
    expect(page).toContain("- throws `ConfigurationError` for a realm that is invalid in a header");
    expect(page).toContain('// example\nbearer((token) => sessions.get(token), { realm: "shop" });');
  });

  test("shows classes without what is private", () => {
    const page = pages.get("api/restwright.md") ?? "";
    expect(page).toMatch(/class ProblemError extends Error \{\n {2}[\s\S]*?\n\}/);
    expect([...pages.values()].join("\n")).not.toMatch(/^ {2}#\w|super\(/m);
  });
});
