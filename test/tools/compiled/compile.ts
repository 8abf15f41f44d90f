import { fileURLToPath } from "node:url";
import { build, type Options } from "tsup";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Inside node_modules, so that programs find their dependencies and nothing else sees them. */
export const cacheFolder = `${root}node_modules/.cache`;

/**
 * Compiles programs of this repository to plain JavaScript.
 *
 * @param sources paths from the root of the repository, by the names of the programs
 * @returns paths of the compiled files, by the same names
 */
export async function compile<Name extends string>(
  folder: string,
  sources: Readonly<Record<Name, string>>,
  options: Pick<Options, "splitting" | "treeshake"> = { splitting: false },
): Promise<Record<Name, string>> {
  const names = Object.keys(sources) as Name[];
  await build({
    ...options,
    config: false,
    silent: true,
    entry: Object.fromEntries(names.map((program) => [program, root + sources[program]])),
    outDir: folder,
    tsconfig: `${root}tsconfig.json`,
    format: "esm",
    target: "node20",
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    clean: true,
  });
  return Object.fromEntries(names.map((program) => [program, `${folder}/${program}.js`])) as Record<Name, string>;
}
