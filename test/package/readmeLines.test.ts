import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";
import { type Program, startProgram } from "./program.js";
import { readLine, readQuickStart } from "./quickStart.js";

describe("The README's lines for a package that is not published", () => {
  const place = new Consumer("module");
  const clone = join(place.folder, "restwright");
  const server = join(place.folder, "my-server");
  let program: Program | undefined;
  afterAll(async () => {
    await program?.stop();
    place.remove();
  });

  const runIn = (folder: string, line: string) => place.run("bash", ["-c", `cd "$0" && ${line}`, folder]);

  test("install it into a server beside the clone, which starts the quick start", { timeout: 300_000 }, async () => {
    mkdirSync(clone);
    mkdirSync(server);
    copyFileSync(inject("tarball"), join(clone, basename(inject("tarball"))));
    writeFileSync(join(server, "package.json"), '{ "private": true, "type": "module" }');
    writeFileSync(join(server, "server.js"), readQuickStart("express").code);
    await runIn(server, readLine("install"));
    // The driver that the README names for such a Node.
    if (process.getBuiltinModule("node:sqlite") === undefined) await runIn(server, "npm install libsql");
    program = await startProgram(server, "server.js");
    expect((await fetch(`${program.origin}/v1/users`)).status).toBe(200);
  });

  test("write a project in the clone, which is installed and passes its own test", { timeout: 300_000 }, async () => {
    // A clone after npm ci and npm pack: what was built, the tarball, and the packages of this repository.
    await runIn(clone, `tar xzf "${inject("tarball")}" --strip-components=1`);
    symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(clone, "node_modules"));
    expect(await runIn(clone, readLine("init"))).toContain("npm install");
    const project = join(place.folder, "my-api");
    expect(JSON.parse(readFileSync(join(project, "package.json"), "utf8")).dependencies.restwright).toMatch(/^file:.*\/restwright-\d.*\.tgz$/);
    await runIn(project, "npm install");
    expect(await runIn(project, "npm test")).toMatch(/pass 2\n[\s\S]*fail 0\n/);
  });
});
