import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { anchorsOf, linksOf } from "../../docs/site/pages/markdown.js";
import { Consumer } from "./consumer.js";

/** What is saved is used up again by new parts: see `docs/decisions/project/size-limits-have-room.md`. */
const maxTarballBytes = 1_600_000;
const unpacked = mkdtempSync(join(tmpdir(), "restwright-unpacked-"));
let files: readonly string[] = [];
beforeAll(() => {
  execFileSync("tar", ["-xzf", inject("tarball"), "-C", unpacked, "--strip-components=1"]);
  files = readdirSync(unpacked, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(unpacked, name)).isFile());
});
afterAll(() => rmSync(unpacked, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(unpacked, path), "utf8");
const pages = () => files.filter((name) => name.endsWith(".md") || name === "llms.txt");

test(`The tarball has at most ${maxTarballBytes} bytes`, () => {
  expect(statSync(inject("tarball")).size).toBeLessThanOrEqual(maxTarballBytes);
});

test("The work tree has no replaced files after npm has packed", () => {
  expect(existsSync(new URL("../../.packing", import.meta.url))).toBe(false);
});

describe("The pages of the package", () => {
  test("are those for users, with their examples", () => {
    expect(pages().length).toBeGreaterThan(60);
    expect(pages()).toEqual(
      expect.arrayContaining(["README.md", "CHANGELOG.md", "llms.txt", "docs/options.md", "docs/guides/start.md", "examples/shop/README.md"]),
    );
    expect(
      files.filter((name) => /^docs\/(?:decisions|architecture|benchmarks|reliability|\.?site)|node_modules|\.data\/|package-lock/.test(name)),
    ).toEqual([]);
  });

  test("have relative links only to files of the package and headings in them", () => {
    const dead = pages().flatMap((page) => {
      const targets = linksOf(read(page)).map(({ target }) => target);
      return targets.filter((target) => isDead(page, target)).map((target) => `${page}: ${target}`);
    });
    expect(dead).toEqual([]);
  });

  test("have no comments for tests", () => {
    expect(pages().filter((page) => /^<!--/m.test(read(page)))).toEqual([]);
  });
});

function isDead(page: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [path = "", anchor] = target.split("#", 2);
  const file = path === "" ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(join(unpacked, file))) return true;
  return anchor !== undefined && file.endsWith(".md") && !anchorsOf(read(file)).includes(anchor);
}

describe("The code", () => {
  const consumer = new Consumer("module");
  afterAll(() => consumer.remove());

  test("has no source maps", () => {
    expect(files.filter((name) => name.endsWith(".map"))).toEqual([]);
    for (const name of files.filter((each) => each.endsWith(".js"))) expect(read(name), name).not.toContain("sourceMappingURL=");
  });

  test("is what a stack trace leads to: functions and lines as the sources have them", async () => {
    await consumer.install([inject("tarball"), "zod"]);
    consumer.write(
      "main.js",
      `import { defineResource } from "restwright";
       try { defineResource("notes", { schem: 1 }); } catch (error) { console.log(error.stack); }`,
    );
    const stack = await consumer.run(process.execPath, ["main.js"]);
    const frames = [...stack.matchAll(/at (?:(\S+) \()?\S*node_modules\/restwright\/(dist\/\S+\.js):(\d+):/g)];
    const lines = frames.map(([, , path = "", line]) => read(path).split("\n")[Number(line) - 1]);
    expect(lines[0]).toContain("throw new ConfigurationError");
    expect(lines[2]).toContain("compileResource(");
    expect(frames.map(([, name]) => name)).toContain("defineResource");
  });
});
