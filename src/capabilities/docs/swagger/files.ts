import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ConfigurationError } from "../../../ground/problem/index.js";

/** The files of Swagger UI that are served: no other one of its package can be reached. */
export interface SwaggerFiles {
  readonly script: string;
  readonly style: string;
}

const install = "npm install swagger-ui-dist@^5.32";

/**
 * Reads the files of the package `swagger-ui-dist`.
 *
 * @param resolve finds a file of a package, as `require.resolve` does
 * @throws {ConfigurationError} if the package is missing, or is not of version 5.32 or a later 5
 */
export function readSwaggerFiles(resolve: (name: string) => string = createRequire(import.meta.url).resolve): SwaggerFiles {
  const manifest = findManifest(resolve);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major !== 5 || minor < 32)
    throw new ConfigurationError(`docs: "ui" is "swagger", which needs swagger-ui-dist >=5.32 <6; ${version} is installed. Run: ${install}`);
  const read = (name: string) => readFileSync(join(dirname(manifest), name), "utf8");
  return { script: read("swagger-ui-bundle.js"), style: read("swagger-ui.css") };
}

function findManifest(resolve: (name: string) => string): string {
  try {
    return resolve("swagger-ui-dist/package.json");
  } catch (cause) {
    throw new ConfigurationError(`docs: "ui" is "swagger", which needs the package swagger-ui-dist. Run: ${install}`, { cause });
  }
}
