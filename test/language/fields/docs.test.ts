import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ask } from "./collections.js";

const page = readFileSync(new URL("../../../docs/fields.md", import.meta.url), "utf8");

/** The rows of the page's tables whose first cell is a request. */
const rows = [...page.matchAll(/^\| (`[a-z[\]]+=.*?`(?:, `[a-z[\]]+=.*?`)*) \| (.*) \|$/gm)].map(([, requests = "", answer = ""]) => ({
  requests: [...requests.matchAll(/`(.*?)`/g)].map(([, request = ""]) => request),
  answer,
}));
const refused = rows
  .filter(({ answer }) => answer.startsWith("400"))
  .flatMap(({ requests, answer }) => requests.map((request) => [request, answer] as const));
const accepted = rows.filter(({ answer }) => !answer.startsWith("400")).flatMap(({ requests }) => requests);

const texts = (request: string) => Object.fromEntries(new URLSearchParams(request));

describe("docs/fields.md", () => {
  test("shows both what is accepted and what is refused", () => {
    expect(accepted.length).toBeGreaterThan(12);
    expect(refused.length).toBeGreaterThan(12);
  });

  test.each(accepted)("%s is accepted", (request) => {
    expect(ask(texts(request)).problems).toEqual([]);
  });

  test.each(refused)("%s is answered as the page says", (request, answer) => {
    const { problems } = ask(texts(request));
    const [problem] = problems;
    expect(problems).toHaveLength(1);
    expect(answer).toContain(problem?.code);
    const detail = /`(.*)`$/.exec(answer)?.[1]?.replace('"exclude"', `"${problem?.parameter}"`);
    if (detail !== undefined) expect(problem?.detail).toBe(detail);
  });
});
