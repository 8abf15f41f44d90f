import { cacheFolder, compile } from "../../test/tools/compiled/compile.js";

/** The programs of the servers, as plain JavaScript. */
export interface Programs {
  readonly restwright: string;
  readonly floor: string;
  /** For cold starts. */
  readonly cold: string;
}

/** Compiles the servers. */
export async function buildServers(): Promise<Programs> {
  return buildPrograms("servers", { restwright: "bench/requests/restwright.ts", floor: "bench/floor/main.ts", cold: "bench/cold/server.ts" });
}

/**
 * Compiles programs into a folder of their own: what tsx makes of a file at run time names every closure anew, which costs time that users do not pay.
 *
 * @param sources Paths from the root of the repository, by the names of the programs.
 */
export async function buildPrograms<Name extends string>(name: string, sources: Readonly<Record<Name, string>>): Promise<Record<Name, string>> {
  return compile(`${cacheFolder}/restwright-bench/${name}`, sources, { splitting: true, treeshake: true });
}
