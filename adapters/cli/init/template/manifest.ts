import type { Host, ProjectPlan } from "../choices.js";
import { type PackageName, versions } from "../versions.js";

const ofHost: Readonly<Record<Host, { readonly runtime: readonly PackageName[]; readonly types: readonly PackageName[] }>> = {
  express: { runtime: ["express"], types: ["@types/express"] },
  fastify: { runtime: ["fastify"], types: [] },
  hono: { runtime: ["@hono/node-server", "hono"], types: [] },
  koa: { runtime: ["koa", "koa-mount"], types: ["@types/koa", "@types/koa-mount"] },
};

/** The `package.json` of a project. */
export function manifestFile({ host, store, language, name, restwright, nodeVersion }: ProjectPlan): string {
  const { runtime, types } = ofHost[host];
  const needsDriver = store === "sqlite" && !hasSqlite(nodeVersion);
  const driver: readonly PackageName[] = store === "postgres" ? ["pg"] : needsDriver ? ["libsql"] : [];
  const isTyped = language === "typescript";
  const manifest = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    // Without a driver, the SQLite of Node itself is needed.
    engines: { node: store === "sqlite" && !needsDriver ? ">=22.13" : ">=20.19" },
    scripts: isTyped ? typescriptScripts : javascriptScripts,
    dependencies: { ...versionsOf([...runtime, ...driver, "pino", "zod"]), restwright },
    ...(isTyped && { devDependencies: versionsOf(["@types/node", ...types, "tsx", "typescript"]) }),
  };
  return `${JSON.stringify({ ...manifest, dependencies: sorted(manifest.dependencies) }, undefined, 2)}\n`;
}

const typescriptScripts = {
  dev: "tsx watch src/main.ts",
  build: "tsc -p tsconfig.build.json",
  start: "node dist/main.js",
  test: "node --import tsx --test test/*.test.ts",
  types: "tsc",
};

const javascriptScripts = {
  dev: "node --watch src/main.js",
  start: "node src/main.js",
  test: "node --test test/*.test.js",
};

/** Whether this version of Node has `node:sqlite` without a flag. */
export function hasSqlite(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

function versionsOf(names: readonly PackageName[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, versions[name]]));
}

/** In the order in which npm writes them. */
function sorted(dependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(dependencies).sort(([one], [other]) => (one < other ? -1 : 1)));
}
