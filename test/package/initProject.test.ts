import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hosts, languages } from "../../adapters/cli/init/choices.js";
import { postgresUrl } from "../tools/engines.js";
import { ownSchema } from "../tools/storage/postgresSchema.js";
import { Consumer } from "./consumer.js";
import { startProgram } from "./program.js";

/** What is needed of the `package.json` of a project. */
interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A project that `npx restwright init` has made. */
interface Project {
  readonly name: string;
  readonly options: readonly string[];
  readonly needsDatabase: boolean;
}

const projects: readonly Project[] = [
  ...hosts.flatMap((host) =>
    languages.map((language) => ({ name: `${host}-${language}`, options: ["--host", host, `--${language}`], needsDatabase: false })),
  ),
  { name: "postgres-typescript", options: ["--host", "fastify", "--store", "postgres"], needsDatabase: true },
];

describe("A project of npx restwright init", () => {
  const consumer = new Consumer("module");
  const schema = ownSchema();
  let databaseUrl = "";
  beforeAll(async () => {
    await consumer.install([inject("tarball")]);
    for (const { name, options } of projects) await consumer.run("npx", ["--no-install", "restwright", "init", `projects/${name}`, ...options]);
    // Workspaces, so that npm installs what each project names, and downloads it once.
    consumer.write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module", workspaces: ["projects/*"] }));
    await consumer.install([]);
    if (postgresUrl !== undefined) databaseUrl = await schema.create();
  });
  afterAll(async () => {
    consumer.remove();
    if (postgresUrl !== undefined) await schema.drop();
  });

  describe.each(projects)("$name", ({ name, needsDatabase }) => {
    const folder = join(consumer.folder, "projects", name);
    const read = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
    const npm = (...words: string[]) => consumer.run("npm", [...words, `--workspace=projects/${name}`]);

    test("names each package that it imports", () => {
      const { dependencies, devDependencies } = read();
      const names = ["src", "test"].flatMap((part) => importedPackages(join(folder, part)));
      expect(names.filter((each) => dependencies[each] === undefined && devDependencies?.[each] === undefined)).toEqual([]);
    });

    test("passes its own test", async () => {
      expect(await npm("test")).toMatch(/pass 2\n[\s\S]*fail 0\n/);
    });

    if (name.endsWith("-typescript"))
      test("has no fault for the compiler, and is compiled", async () => {
        await npm("run", "types");
        await npm("run", "build");
        expect(existsSync(join(folder, "dist/main.js"))).toBe(true);
      });

    if (!needsDatabase || postgresUrl !== undefined)
      test("starts, serves, keeps its rows, and stops at SIGTERM", async () => {
        const [, file = ""] = /^node (\S+)$/.exec(read().scripts["start"] ?? "") ?? [];
        const start = () => startProgram(folder, file, { DATABASE_URL: databaseUrl, DATA_DIR: "rows" });
        const first = await start();
        const created = await fetch(`${first.origin}/v1/tasks`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"title":"Buy tea"}',
        });
        expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ id: 1, title: "Buy tea", isDone: false })]);
        expect((await fetch(`${first.origin}/elsewhere`)).status).toBe(404);
        expect(await first.stop()).toBe(0);

        const second = await start();
        const [ready, document, list] = await Promise.all(["ready", "openapi.json", "tasks"].map((path) => fetch(`${second.origin}/v1/${path}`)));
        expect([ready?.status, document?.status]).toEqual([200, 200]);
        expect(await list?.json()).toMatchObject({ data: [{ title: "Buy tea" }] });
        expect(await second.stop()).toBe(0);
        expect(existsSync(join(folder, "rows/data.db"))).toBe(!needsDatabase);
      });
  });
});

function importedPackages(folder: string): string[] {
  return readdirSync(folder).flatMap((file) => {
    const specifiers = [...readFileSync(join(folder, file), "utf8").matchAll(/ from "([^".][^"]*)";$/gm)].map(([, specifier = ""]) => specifier);
    return specifiers.filter((each) => !each.startsWith("node:")).map((each) => each.split("/", each.startsWith("@") ? 2 : 1).join("/"));
  });
}
