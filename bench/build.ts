import { fileURLToPath } from "node:url";
import { build } from "tsup";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Inside node_modules, so that the servers find their dependencies and nothing else sees them. */
const folder = "node_modules/.cache/restwright-bench";

/** The programs of the servers, as plain JavaScript. */
export interface Programs {
  readonly restwright: string;
  readonly floor: string;
  /** For cold starts. */
  readonly cold: string;
}

/** Compiles the servers: what tsx makes of a file at run time names every closure anew, which costs both sides time that users do not pay. */
export async function buildServers(): Promise<Programs> {
  await build({
    config: false,
    silent: true,
    entry: { restwright: `${root}bench/restwright.ts`, floor: `${root}bench/floor/main.ts`, cold: `${root}bench/cold/server.ts` },
    outDir: root + folder,
    tsconfig: `${root}tsconfig.json`,
    format: "esm",
    target: "node20",
    splitting: true,
    skipNodeModulesBundle: true,
    treeshake: true,
    removeNodeProtocol: false,
    clean: true,
  });
  const program = (name: string) => `${root}${folder}/${name}.js`;
  return { restwright: program("restwright"), floor: program("floor"), cold: program("cold") };
}
