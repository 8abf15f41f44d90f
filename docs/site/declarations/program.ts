import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
// The compiler has no other interface in this major. Only the pages use it, so a change of it breaks no program.
import { API, type Checker, type Symbol as Declared, type Project, SymbolFlags } from "typescript/unstable/sync";

/** The folder of the repository, with a slash at its end. */
export const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** The sources of the package as the compiler sees them. */
export interface Declarations {
  readonly checker: Checker;
  readonly project: Project;
  /** The names of the entries, as in package.json: `.`, `./jobs`. */
  readonly entries: readonly string[];
  /** What an entry exports, each with the symbol that declares it. */
  exportsOf(entry: string): ReadonlyMap<string, Declared>;
  close(): void;
}

/**
 * Opens the program of the sources.
 *
 * @example
 * const declarations = openDeclarations();
 * const createService = declarations.exportsOf(".").get("createService");
 */
export function openDeclarations(): Declarations {
  const api = new API({ cwd: repository });
  const config = `${repository}tsconfig.build.json`;
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error(`The compiler did not open ${config}.`);
  const { checker, program } = project;
  const sources = entrySources();
  return {
    checker,
    project,
    entries: [...sources.keys()],
    exportsOf(entry) {
      const file = program.getSourceFile(`${repository}${sources.get(entry)}`);
      const module = file && checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`The entry "${entry}" has no source.`);
      return new Map(
        checker
          .getExportsOfModule(module)
          .map((symbol) => [symbol.name, symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol]),
      );
    },
    close: () => api.close(),
  };
}

/** The source of each entry of the package. */
function entrySources(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as { exports: Record<string, { import?: { types: string } }> };
  const sources = new Map<string, string>();
  for (const [entry, { import: target }] of Object.entries(exports)) {
    if (target !== undefined) sources.set(entry, target.types.replace("./dist/types/", "").replace(".d.ts", ".ts"));
  }
  return sources;
}
