// @long

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../tools/temporary.js";

const readme = readFileSync("README.md", "utf8");

/** Runs the check that `.ci/run` makes in a fresh clone, in a folder that has its packages. */
const check = (folder: string) =>
  promisify(execFile)(process.execPath, [".ci/readme.mjs", "--installed", folder], { env: { ...process.env, DATA_DIR: temporaryFolder() } });

test("The requests of the README are answered as it says, and again after the shop has started on the same rows", { timeout: 180_000 }, async () => {
  const { stdout } = await check(".");
  expect(stdout.match(/^\d{3}(?= {2}curl )/gm)).toEqual(["201", "200", "400", "201", "200", "400"]);
});

test.each([
  ["has not the first command", (text: string) => text.replace("npm ci && npm start", "npm start"), 'must be "npm ci && npm start"; got "npm start"'],
  ["has not the comment of the second", (text: string) => text.replace("<!-- quickstart: tests -->", ""), 'has no "<!-- quickstart: tests -->"'],
  [
    "has other code before them",
    (text: string) => text.replace("## The first", "```sh\nnpx restwright\n```\n\n## The first"),
    "The first blocks of README.md must be",
  ],
  ["has a request without a status", (text: string) => text.replace("201, 200 and 400", "201 and 200"), "must name a status for each"],
])("A README that %s is refused", async (_, change, message) => {
  const folder = temporaryFolder();
  expect(change(readme)).not.toBe(readme);
  writeFileSync(join(folder, "README.md"), change(readme));
  await expect(check(folder)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});
