import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type LogLevel, type OutputChunk, type PreRenderedChunk, type RollupLog, rollup } from "rollup";
import { parseAst } from "rollup/parseAst";
import { dts } from "rollup-plugin-dts";
import { build, defineConfig, type Options } from "tsup";
import manifest from "./package.json" with { type: "json" };
import { bundleOf, entries as sources } from "./test/rooms/rooms.js";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * CommonJS packages that require modules of Node. A bundle of ES modules that esbuild makes would fail with `Dynamic require of "stream" is not supported`, so they
 * are published as ES modules in `dist/vendor`, with their licences.
 */
const vendored = ["busboy", "etag"];

const importVendored: Plugin = {
  name: "import-vendored",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^(?:${vendored.join("|")})$`) }, ({ path }) => ({ path: `./vendor/${path}.js`, external: true })),
};

const importBuiltins: Plugin = {
  name: "import-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\w+$/ }, ({ path, kind }) => (kind === "require-call" && isBuiltin(path) ? { path, namespace: "builtin" } : undefined));
    onLoad({ filter: /^/, namespace: "builtin" }, ({ path }) => ({ contents: `export * from "node:${path}";` }));
  },
};

const common: Options = {
  format: "esm",
  target: "node20",
  platform: "node",
  treeshake: true,
  dts: false,
  // `node:sqlite` has no name without its prefix.
  removeNodeProtocol: false,
};

/** The keys name the files in `dist`; declarations are written beside them. */
const entries: Record<string, string> = {
  ...Object.fromEntries([...sources].map(([entry, source]) => [bundleOf(entry), source])),
  // Its first line names the interpreter; no other entry has one.
  cli: "adapters/cli.ts",
};

export default defineConfig({
  entry: entries,
  ...common,
  splitting: true,
  clean: true,
  esbuildPlugins: [importVendored],
  // Rollup does it once for all files, in `joinChunks`.
  treeshake: false,
  async onSuccess() {
    await joinChunks();
    await buildVendored();
    await writeDeclarations();
    await writeCommonJsDeclarations();
  },
});

/** Entries that run in browsers: what they load must not need modules of Node. */
const parsers = ["query", "fields", "patch"];

/** Entries whose users load the core as well. */
const withCore = [
  "index",
  "jobs",
  "batch",
  "transfer",
  "uploads",
  "subscribers",
  "webhooks",
  "auth",
  "jwt",
  "cors",
  "rate-limit",
  "actions",
  "openapi",
  "docs",
  "searches",
  "testing",
  "languages",
  "cache",
  "hooks",
  "compression",
  "rate-limit",
  "opentelemetry",
  "searches",
  "versions",
  "formats",
  "xml",
  "live",
  "testing",
];

/** The parts that `openapi()` loads with the first document: what writes documents, and what capabilities say in them. */
const describers = /^(?:describe[A-Z]|document-)/;

/**
 * esbuild makes a chunk for each set of entries that share code: 110, half of them loaded with the core, which took longer than to run them. Rollup joins them into
 * the core, what it shares with entries that are used without it, what the parsers share, and what describes operations.
 */
async function joinChunks(): Promise<void> {
  const files = (await readdir("dist")).filter((file) => file.endsWith(".js"));
  const input = Object.fromEntries(Object.keys(entries).map((name) => [name, resolve("dist", `${name}.js`)]));
  const bundle = await rollup({
    input,
    external: /^[^./]|^\.\/vendor\//,
    treeshake: { moduleSideEffects: false },
  });
  /** The entries that load a file at once. */
  const usersOf = new Map<string, Set<string>>();
  /** The parts, loaded on demand, that load a file. */
  const partsOf = new Map<string, Set<string>>();
  const { output } = await bundle.generate({
    format: "esm",
    dir: "dist",
    chunkFileNames: chunkName,
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    manualChunks(id, { getModuleIds, getModuleInfo }) {
      if (usersOf.size === 0) {
        for (const [name, file] of Object.entries(input)) addUser(usersOf, file, name);
        for (const file of getModuleIds())
          for (const part of getModuleInfo(file)?.dynamicallyImportedIds ?? []) addUser(partsOf, part, basename(part));
      }
      if (basename(id, ".js") in entries) return undefined;
      const users = [...(usersOf.get(id) ?? [])];
      const ofParsers = parsers.filter((name) => users.includes(name));
      const isShared = users.some((name) => !parsers.includes(name) && !withCore.includes(name));
      if (ofParsers.length > 0) return [...ofParsers, ...(isShared ? ["base"] : [])].join("-");
      if (users.includes("index")) return isShared ? "base" : "core";
      const parts = [...(partsOf.get(id) ?? [])];
      if (parts.length === 0 || !parts.every((part) => describers.test(part))) return undefined;
      // Rollup adds to a chunk with a name what it imports, unless that has a name as well.
      if (users.length > 0) return users.join("-");
      return parts.length > 1 ? "describing" : undefined;

      function addUser(of: Map<string, Set<string>>, file: string, user: string): void {
        const users = of.get(file) ?? new Set();
        of.set(file, users);
        if (users.has(user)) return;
        users.add(user);
        for (const imported of getModuleInfo(file)?.importedIds ?? []) addUser(of, imported, user);
      }
    },
  });
  await bundle.close();
  for (const file of files) await rm(join("dist", file));
  for (const file of output) if (file.type === "chunk") await writeChunk(file);
}

/** Parts that are loaded by `import()` have names of their own: limits of size leave them out, as programs that do not need them do. */
function chunkName({ name, isDynamicEntry }: PreRenderedChunk): string {
  if (isDynamicEntry || name === "describing") return `on-demand-${name.replace(/-[A-Z0-9]{8}$/, "")}-[hash].js`;
  return name.startsWith("chunk-") ? "chunk-[hash].js" : "chunk-[name]-[hash].js";
}

/**
 * An import of nothing. No module has side effects, yet Rollup keeps one in the chunk of an entry for what the entry exports of other chunks: whoever loads a part of the
 * client would load all of its errors.
 */
const bareImport = /^import '\.\/chunk-[^']*';$/;

/** Writes a file without the lines that are comments only. */
async function writeChunk({ fileName, code }: OutputChunk): Promise<void> {
  const comments = commentLines(code);
  const lines = code.split("\n").filter((text, line) => !comments.has(line) && !bareImport.test(text));
  await writeFile(join("dist", fileName), lines.join("\n"));
}

/** The lines of comments that stand alone, from 0: readers have the declarations and the sources. Lines within template literals are text. */
function commentLines(code: string): ReadonlySet<number> {
  const texts: { readonly start: number; readonly end: number }[] = [];
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, start, end } = node as { readonly type?: string; readonly start: number; readonly end: number };
    if (type === "TemplateElement") texts.push({ start, end });
    for (const member of Object.values(node)) collect(member);
  };
  collect(parseAst(code));
  const lines = new Set<number>();
  for (const { 0: comment, index } of code.matchAll(/^[ \t]*(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/|\/\/ .*)$/gm)) {
    if (texts.some(({ start, end }) => start < index + comment.length && index < end)) continue;
    const first = code.slice(0, index).split("\n").length - 1;
    for (let line = 0; line < comment.split("\n").length; line++) lines.add(first + line);
  }
  return lines;
}

async function buildVendored(): Promise<void> {
  const { resolve } = createRequire(import.meta.url);
  const entry = Object.fromEntries(vendored.map((name) => [name, resolve(name)]));
  await build({ ...common, config: false, silent: true, entry, outDir: "dist/vendor", noExternal: [/./], esbuildPlugins: [importBuiltins] });
  const licences = [...vendored, "streamsearch"].map(async (name) => `${name}\n\n${await readFile(`node_modules/${name}/LICENSE`, "utf8")}`);
  await writeFile("dist/vendor/LICENSES.txt", (await Promise.all(licences)).join("\n"));
}

/**
 * tsc writes a declaration file for each source file, with all that one file exports for another. Bundled, they have what the entries lead to, in a sixth of the files
 * and three quarters of the bytes, and keep the paths of the entries.
 */
async function writeDeclarations(): Promise<void> {
  await promisify(execFile)(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
  const types = Object.values(manifest.exports).map(({ import: entry }) => entry.types);
  const input = Object.fromEntries(types.map((path) => [path.replace("./dist/types/", "").replace(/\.d\.ts$/, ""), path]));
  const bundle = await rollup({ input, external: /^[^./]/, plugins: [dts()], onLog: refuseLog });
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `shared/${name}.ts`,
    minifyInternalExports: false,
  });
  await bundle.close();
  await rm("dist/types", { recursive: true });
  for (const file of output) {
    if (file.type !== "chunk") continue;
    const path = join("dist/types", file.fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.code);
  }
}

/** Types that no entry exports have names in their chunk only; a test of the package shows that declarations of users that need them can be written. */
function refuseLog(_level: LogLevel, { code, message }: RollupLog): void {
  if (code === "PLUGIN_WARNING" && message.includes("private shared type exports")) return;
  throw new Error(message);
}

/**
 * TypeScript in a CommonJS file refuses declarations of ES modules (TS1479), although Node's `require` loads the modules themselves. So the condition `require` of
 * each entry has declarations of its own: they name the types of the others, so that a type is the same however it was imported.
 */
async function writeCommonJsDeclarations(): Promise<void> {
  await mkdir("dist/types", { recursive: true });
  for (const { import: entry, require: required } of Object.values(manifest.exports)) {
    const exported = Object.entries<unknown>(await import(new URL(entry.default, import.meta.url).href));
    await writeFile(required.types, commonJsDeclarations(entry.types.replace("./dist/types/", "./").replace(".d.ts", ".js"), exported));
  }
}

function commonJsDeclarations(module: string, exported: readonly (readonly [string, unknown])[]): string {
  const mode = `with: { "resolution-mode": "import" }`;
  const lines = [`export type * from "${module}" ${mode.replace(":", "")};`];
  for (const [name, value] of exported) {
    const declared = `import("${module}", { ${mode} }).${name}`;
    lines.push(`export declare const ${name}: typeof ${declared};`);
    if (/^class\b/.test(String(value))) lines.push(`export type ${name} = ${declared};`);
  }
  return `${lines.join("\n")}\n`;
}
