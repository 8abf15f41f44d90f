import type { Environment } from "./environment.js";

/** The same environment with the rows of the schema, for what knows no versions of the API, such as actions and the files of rows. */
export function schemaEnvironment(environment: Environment): Environment {
  return environment.version === undefined ? environment : { ...environment, version: undefined, collection: environment.schemaRows };
}
