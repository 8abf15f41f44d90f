import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The folder of this package, and its version. */
export interface OwnPackage {
  readonly folder: string;
  readonly version: string;
}

/**
 * What the `package.json` of a project names for restwright: the tarball that this package was installed from, or that `npm pack` has made beside it in a clone;
 * otherwise its version. A version that is in no registry could not be installed.
 */
export function packageSource({ folder, version }: OwnPackage): string {
  const tarball =
    basename(dirname(folder)) === "node_modules" ? installedTarball(dirname(dirname(folder))) : join(folder, `restwright-${version}.tgz`);
  // Absolute: npm resolves a relative path against the real path of a project, which may differ from the one that was named.
  return tarball !== undefined && existsSync(tarball) ? `file:${tarball}` : `^${version}`;
}

/** The tarball that a project names for restwright. */
function installedTarball(project: string): string | undefined {
  const manifest = join(project, "package.json");
  // A package manager may keep packages in a folder that belongs to no project.
  if (!existsSync(manifest)) return undefined;
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as Partial<Record<string, Readonly<Record<string, string>>>>;
  const named = dependencies?.["restwright"] ?? devDependencies?.["restwright"];
  return named?.startsWith("file:") ? resolve(project, named.slice("file:".length)) : undefined;
}
