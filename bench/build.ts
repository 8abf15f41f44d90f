import { fileURLToPath } from "node:url";
import { build } from "tsup";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Inside node_modules, so that programs find their dependencies and nothing else sees them. */
const folder = "node_modules/.cache/restwright-bench";

/** The programs of the servers, as plain JavaScript. */
export interface Programs {
  readonly restwright: string;
  readonly floor: string;
  /** For cold starts. */
  readonly cold: string;
}

/** Compiles the servers. */
export async function buildServers(): Promise<Programs> {
  return buildPrograms("servers", { restwright: "bench/restwright.ts", floor: "bench/floor/main.ts", cold: "bench/cold/server.ts" });
}

/**
 * Compiles programs into a folder of their own: what tsx makes of a file at run time names every closure anew, which costs time that users do not pay.
 *
 * @param sources Paths from the root of the repository, by the names of the programs.
 */
export async function buildPrograms<Name extends string>(name: string, sources: Readonly<Record<Name, string>>): Promise<Record<Name, string>> {
  const names = Object.keys(sources) as Name[];
  await build({
    config: false,
    silent: true,
    entry: Object.fromEntries(names.map((program) => [program, root + sources[program]])),
    outDir: `${root}${folder}/${name}`,
    tsconfig: `${root}tsconfig.json`,
    format: "esm",
    target: "node20",
    splitting: true,
    skipNodeModulesBundle: true,
    treeshake: true,
    removeNodeProtocol: false,
    clean: true,
  });
  return Object.fromEntries(names.map((program) => [program, `${root}${folder}/${name}/${program}.js`])) as Record<Name, string>;
}
