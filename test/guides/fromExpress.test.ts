// @slow

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../package/program.js";
import { programFolder } from "../tools/programFolder.js";
import { guidePage } from "./guidePage.js";
import { patched } from "./patched.js";
import { describedAnswer } from "./testGuide.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(new URL("../../docs/guides/from-express-crud.md", import.meta.url), "utf8");

/** The blocks of the guide, each with the file that the text above it names last. */
const blocks = [...page.matchAll(/^```(js|diff)\n([\s\S]*?)^```/gm)].map(({ 1: language, 2: text = "", index }) => {
  const named = [...page.slice(0, index).matchAll(/`(\w+\.js)`/g)];
  return { language, text, file: named.at(-1)?.[1] ?? "" };
});

test("docs/guides/from-express-crud.md serves the same rows by its routes and by its collection", async () => {
  const folder = programFolder();
  const files = new Map<string, string>();
  for (const { language, text, file } of blocks) files.set(file, language === "js" ? text : patched(files.get(file) ?? "", text));
  expect([...files.keys()]).toEqual(["app.js", "resources.js"]);
  // Types are removed without a check, and the names of packages lead to the sources of this repository. libsql has the interface of better-sqlite3.
  for (const [file, text] of files) writeFileSync(join(folder, file.replace(".js", ".ts")), text.replace('"better-sqlite3"', '"libsql"'));
  const program = await startProgram(root, join(folder, "app.ts"), { DATABASE: join(folder, "shop.db") }, ["--import", "tsx"]);
  onTestFinished(async () => void (await program.stop()));

  const { requests } = guidePage("from-express-crud");
  const answers: unknown[] = [];
  for (const request of requests) {
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body), headers: { "content-type": "application/json" } };
    const answer = await fetch(`${program.origin}${request.target}`, { method: request.method, ...body });
    const text = await answer.text();
    answers.push({ ...request, answer: describedAnswer(answer.status, text === "" ? {} : JSON.parse(text), request.answer) });
  }
  expect(answers).toEqual(requests);
  expect(requests.length).toBeGreaterThan(5);
});
