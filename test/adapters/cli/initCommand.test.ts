import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { packageNameOf, parsePackageName } from "../../../adapters/cli/init/packageName.js";
import { writeProject } from "../../../adapters/cli/init/writeProject.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { run } from "./stage.js";

const typescriptFiles = [
  ".gitignore",
  "README.md",
  "package.json",
  "src/api.ts",
  "src/main.ts",
  "src/server.ts",
  "src/storage.ts",
  "src/tasks.ts",
  "test/tasks.test.ts",
  "tsconfig.build.json",
  "tsconfig.json",
];

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

describe("restwright init", () => {
  test("writes a project in TypeScript for Express and SQLite by default, and says what comes next", async () => {
    const folder = join(temporaryFolder(), "deep/tea-shop");
    const { code, stdout, stderr } = await run(["init", folder]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      `Wrote 11 files to ${folder}. To start the API:\n\n  cd ${folder}\n  npm install\n  npm run dev\n\nREADME.md there says what comes next.\n`,
    );
    expect(filesIn(folder)).toEqual(typescriptFiles);
    expect(manifestIn(folder)).toMatchObject({ name: "tea-shop", dependencies: { restwright: "^1.2.3", express: expect.any(String) } });
    expect(readFileSync(join(folder, "src/storage.ts"), "utf8")).toContain("restwright/sqlite");
  });

  test("calls the folder that it runs in this folder", async () => {
    const folder = temporaryFolder();
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await run(["init", folder])).stdout).toMatch(/^Wrote 11 files to this folder\. To start the API:\n\n {2}npm install\n/);
  });

  test("writes what the options say", async () => {
    const folder = join(temporaryFolder(), "api");
    const options = ["--host", "koa", "--store", "postgres", "--javascript", "--name", "@tea/shop"];
    expect(await run(["init", folder, ...options])).toMatchObject({ code: 0 });
    expect(filesIn(folder)).toEqual(typescriptFiles.filter((file) => !file.startsWith("tsconfig")).map((file) => file.replace(/\.ts$/, ".js")));
    const { name, dependencies, devDependencies } = manifestIn(folder);
    expect(name).toBe("@tea/shop");
    expect(Object.keys(dependencies)).toEqual(["koa", "koa-mount", "pg", "pino", "restwright", "zod"]);
    expect(devDependencies).toBeUndefined();
  });

  test("names the commands of the package manager that runs it, for a folder with spaces", async () => {
    const folder = join(temporaryFolder(), "it's tea");
    const { stdout } = await run(["init", folder], { variables: { npm_config_user_agent: "pnpm/10.1.0 npm/? node/v22.13.0 linux x64" } });
    expect(stdout).toContain(`  cd '${folder.replace("'", `'\\''`)}'\n  pnpm install\n  pnpm run dev\n`);
    expect(manifestIn(folder).name).toBe("it-s-tea");
  });

  test("names a folder that a shell would take for an option by a path", async () => {
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(temporaryFolder());
    const { stdout } = await run(["init", "--", "-x"]);
    expect(stdout).toContain("  cd ./-x\n");
    expect(filesIn(join(process.cwd(), "-x"))).toEqual(typescriptFiles);
  });

  test.each([
    [["--host", "fastyfi", "x"], '--host must be express, fastify, hono or koa; got "fastyfi". Did you mean "fastify"?'],
    [["--host", "rails", "x"], '--host must be express, fastify, hono or koa; got "rails".\n'],
    [["--store", "mysql", "x"], '--store must be sqlite or postgres; got "mysql".\n'],
    [["--javascript", "--typescript", "x"], "Name --typescript or --javascript, not both."],
    [
      ["--name", "Tea Shop", "x"],
      '--name must have only lower-case letters, digits, "-", "_" and ".", and begin with a letter or a digit; got "Tea Shop".',
    ],
    [["--name", "zod", "x"], '--name must not be the name of a package that the project may need; got "zod".'],
    [["x", "y"], 'Name one folder for the project; got "x", "y".'],
    [["--yes"], "Name a folder for the project, such as my-api."],
    [[], "Name a folder for the project, such as my-api."],
    [["--hots", "koa"], 'Unknown option "--hots"; allowed: --host, --store,'],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await run(["init", ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain("Try: restwright init --help");
  });

  test("writes nothing into a folder that is not empty, but beside the repository that it belongs to", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".git"));
    expect(await run(["init", folder, "--name", "api"])).toMatchObject({ code: 0 });
    const files = filesIn(folder);
    const again = await run(["init", folder, "--host", "hono"]);
    expect(again).toEqual({
      code: 1,
      stdout: "",
      stderr: `The folder ${folder} is not empty (.gitignore and 6 more); name one that is empty, or does not exist.\n`,
    });
    expect(filesIn(folder)).toEqual(files);
    expect((await run(["init", join(folder, "README.md")])).stderr).toContain(
      "README.md is a file or below one; name a folder that is empty, or does not exist.",
    );
  });

  test("removes what it wrote when a file cannot be written", async () => {
    const folder = join(temporaryFolder(), "deep/api");
    const files = [
      { path: "package.json", text: "{}" },
      { path: "src/main.js", text: "" },
      { path: "src/main.js", text: "" },
    ];
    await expect(writeProject(folder, files)).rejects.toMatchObject({ code: "EEXIST" });
    expect(existsSync(join(folder, ".."))).toBe(false);
  });

  // The superuser may write everywhere.
  if (process.getuid?.() !== 0)
    test("says which folder may not be written", async () => {
      const folder = temporaryFolder();
      chmodSync(folder, 0o500);
      const { code, stderr } = await run(["init", join(folder, "api")]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("EACCES")]);
      chmodSync(folder, 0o700);
    });

  test("prints its help", async () => {
    expect((await run(["init", "--help"])).stdout).toContain("restwright init [folder] [options]");
    expect((await run(["--help"])).stdout).toContain("restwright init --help");
  });
});

describe("restwright init of a package that came as a tarball", () => {
  const made = () => {
    const folder = temporaryFolder();
    const installed = join(folder, "app/node_modules/restwright");
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(folder, "restwright-1.2.3.tgz"), "");
    return { folder, installed, tarball: join(folder, "restwright-1.2.3.tgz") };
  };
  const sourceIn = async (folder: string, packageFolder: string) => {
    const project = join(folder, "project");
    const { stdout } = await run(["init", project], { packageFolder });
    return { stdout, restwright: manifestIn(project).dependencies.restwright };
  };

  test("names the tarball that npm pack has made in a clone, and says so", async () => {
    const { folder, tarball } = made();
    const { stdout, restwright } = await sourceIn(folder, folder);
    expect(restwright).toBe(`file:${tarball}`);
    expect(stdout).toContain(`npm run dev\n\nIt installs restwright from ${tarball}.\nREADME.md there`);
  });

  test.each(["dependencies", "devDependencies"])("names the tarball that it was installed from, of %s", async (kind) => {
    const { folder, installed, tarball } = made();
    writeFileSync(join(folder, "app/package.json"), JSON.stringify({ [kind]: { restwright: "file:../restwright-1.2.3.tgz" } }));
    expect((await sourceIn(folder, installed)).restwright).toBe(`file:${tarball}`);
  });

  test.each([
    ["came from a registry", '{"dependencies":{"restwright":"^1.2.3"}}'],
    ["came as a tarball that does not exist any more", '{"dependencies":{"restwright":"file:../restwright-1.2.2.tgz"}}'],
    ["is not named by the project", "{}"],
    ["is in a folder of a package manager", undefined],
  ])("names its version if it %s", async (_, manifest) => {
    const { folder, installed } = made();
    if (manifest !== undefined) writeFileSync(join(folder, "app/package.json"), manifest);
    const { stdout, restwright } = await sourceIn(folder, installed);
    expect(restwright).toBe("^1.2.3");
    expect(stdout).not.toContain("It installs");
  });
});

describe("restwright init on a terminal", () => {
  test("asks for what is not given, and again after an unknown word", async () => {
    const folder = join(temporaryFolder(), "api");
    const { code, stderr } = await run(["init", "--store", "sqlite"], { isTTY: true, stdin: `${folder}\nhonno\nhono\n\n` });
    expect(code).toBe(0);
    expect(stderr).toContain("Folder (my-api): ");
    expect(stderr).toContain('Host must be express, fastify, hono or koa; got "honno". Did you mean "hono"?');
    expect(stderr).toContain("Language: typescript, javascript (typescript): ");
    expect(stderr).not.toContain("Store:");
    expect(filesIn(folder)).toEqual(typescriptFiles);
    expect(Object.keys(manifestIn(folder).dependencies)).toContain("hono");
  });

  test("writes nothing when the input ends, or Ctrl-C is pressed", async () => {
    const folder = join(temporaryFolder(), "api");
    for (const stdin of ["", "express\n", "express\n\u0003"]) {
      const { code, stdout, stderr } = await run(["init", folder], { isTTY: true, stdin });
      expect([code, stdout, stderr]).toEqual([130, "", expect.stringMatching(/\nNothing was written\.\n$|Nothing was written\.\n$/)]);
    }
    expect(existsSync(folder)).toBe(false);
  });

  test("asks nothing with --yes, or before a folder that is not empty is refused", async () => {
    const folder = temporaryFolder();
    expect(await run(["init", join(folder, "api"), "--yes"], { isTTY: true })).toMatchObject({ code: 0, stderr: "" });
    const { code, stderr } = await run(["init", folder], { isTTY: true, stdin: "koa\n" });
    expect([code, stderr]).toEqual([1, expect.stringContaining("is not empty (api);")]);
    expect(stderr).not.toContain("Host");
  });
});

test("The name of a package is made of its folder", () => {
  const names = ["/srv/tea-shop", "/srv/Tea Shop", "/srv/Café", "/", "/srv/express", "/srv/茶", "/srv/_a_", "/srv/node_modules"].map(packageNameOf);
  expect(names).toEqual(["tea-shop", "tea-shop", "cafe", "my-api", "express-api", "my-api", "a", "node-modules"]);
  for (const name of names) expect(parsePackageName(name)).toBe(name);
});
