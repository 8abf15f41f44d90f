const common = `  --header 'Name: value'    header of every request; may be repeated
  --token <token>           bearer token (default: RESTWRIGHT_TOKEN of the environment)
  --quiet, -q               print errors only, no progress and no summary
  --wait                    wait two minutes for a server that does not respond yet (default: ten seconds)
  --json                    print the finished job as JSON on standard output
  --help, -h`;

/** Help of the tool. */
export const mainHelp = `restwright: begin a project, import files into a restwright service, and export files from it

  restwright init [folder] [--host <name>] [--store <name>]    writes a project with one collection and its test

  restwright import <file|-> --to <url of /imports>      CSV, NDJSON or JSON; may be compressed with gzip
  restwright export --from <url of /exports> --collection <name> --out <file|->

  restwright introspect [file.db] [--schema <name>] [--table <name>]   prints collections of the tables in DATABASE_URL, or in a SQLite file

  restwright sql <module>                                prints the statements that the tables of collections need
  restwright diff <module>                               prints how these tables and the collections differ

  restwright openapi <module> [--out <file>] [--check <file>]    writes or compares the OpenAPI document of a service
  restwright client <module|url> [--out <file>] [--check <file>]     writes or compares types for createClient

  restwright init --help
  restwright import --help
  restwright export --help
  restwright introspect --help
  restwright sql --help
  restwright diff --help
  restwright openapi --help
  restwright client --help
  restwright --version
`;

/** Help of `restwright init`. */
export const initHelp = `restwright init [folder] [options]

Writes a project into a folder that is empty or does not exist: an API with one collection, its test and a README. On a terminal it asks for what is not given.

  --host <name>             express (default), fastify, hono, koa
  --store <name>            sqlite (default): one file; postgres
  --typescript              the default
  --javascript
  --name <name>             name of the package (default: that of the folder)
  --yes, -y                 ask nothing, and take the defaults
  --help, -h

Exit code: 0 the project was written, 1 nothing was written, 130 Ctrl-C.
`;

/** Help of `restwright import`. */
export const importHelp = `restwright import <file|-> --to <url of /imports> [options]
restwright import <url of an import> [--resume]

  --to <url>                such as https://host/imports
  --collection <name>       collection of the rows (default: the file name up to its first dot)
  --format <name>           csv, tsv, ndjson, jsonl, json (default: by the file name)
  --mode <mode>             insert (default), upsert, update
  --key <field>             field by which existing rows are found, for upsert and update
  --on-error <rule>         continue (default), stop (import all rows or none)
  --max-errors <count>      more failed rows end the import
  --dry-run                 validate everything, write nothing
  --map Header=field        field of a column; may be repeated
  --unknown-columns <rule>  error (default), ignore
  --delimiter <char>        , ; | tab
  --offset <rows>           rows to skip
  --skip-unchanged          do not write rows that would not change
  --formulas <rule>         literal (default), escaped
  --errors <path>           file for failed rows (default: <file>.errors.csv); never replaces another file: the name gets a number
  --resume                  resume the last import of the file if it failed, or follow it
  --idempotency-key <key>   key of the import (default: made of the file, the URL and the options); "new" imports a file again
  --cancel-on-interrupt     Ctrl-C cancels the import (default: the import continues)
${common}

Exit code: 0 all rows were imported, 2 some failed and were saved, 1 the import failed, 130 Ctrl-C.
`;

/** Help of `restwright export`. */
export const exportHelp = `restwright export --from <url of /exports> --collection <name> --out <file|-> [options]
restwright export --from <url of an export> --out <file|->
restwright export --from 'https://host/users/export?status=active' --out <file|->

  --from <url>              /exports, an existing export, or the stream of a collection
  --collection <name>       collection to export
  --format <name>           csv, tsv, ndjson, jsonl, json (default: by the file name)
  --filter <json>           such as '{"status":"active"}'
  --sort <fields>           such as -createdAt,name
  --fields <fields>         such as id,name
  --delimiter <char>        , ; | tab
  --formulas <rule>         escape (default), literal
  --gzip                    compress the file (default if its name ends in .gz)
  --out <path>              file to write; "-" for standard output
${common}

Exit code: 0 the file was written, 1 it was not, 130 Ctrl-C.
`;

/** Help of `restwright introspect`. */
export const introspectHelp = `DATABASE_URL=postgres://… restwright introspect [options] > src/resources.ts
restwright introspect file.db [options] > src/resources.ts

Prints TypeScript that defines a collection for each table and view of a PostgreSQL database, or of a SQLite file. Nothing is changed in the database.

  --schema <name>           PostgreSQL: schema of the tables; may be repeated (default: those of the search path)
  --table <name>            table or view; may be repeated (default: all)
  --help, -h

Exit code: 0 the collections were printed, 1 they were not.
`;

/** Help of `restwright sql`. */
export const sqlHelp = `restwright sql <module> > migration.sql

Prints the statements that the tables, columns and indexes of your collections need and the database lacks: all of them for an empty database. Nothing is changed in
the database, so that another role or tool can run them. The service then needs no right to create tables: give its storage migrate: "check".

The module is a JavaScript file that exports "resources" and "storage", as a service has them.

  --help, -h

Exit code: 0 the statements were printed, 1 they were not.
`;

/** Help of `restwright diff`. */
export const diffHelp = `restwright diff <module>

Prints how the tables in the database and your collections differ: what is missing (as "restwright sql" prints it), what the start refuses, such as a column of another
type, and, as comments, the statements that would drop columns, indexes and tables that no collection has any more. Nothing is changed in the database.

The module is a JavaScript file that exports "resources" and "storage", as a service has them.

  --help, -h

Exit code: 0 they do not differ, 2 they do, 1 they cannot be compared.
`;

/** Help of `restwright openapi`. */
export const openapiHelp = `restwright openapi <module> [options]

Prints the OpenAPI document of the service that a JavaScript file exports as "service" (or as its default), with openapi() of "restwright/openapi" in "use".

  --out <file>              file to write (default: standard output)
  --check <file>            compares the document with the file, and writes nothing
  --as <file>               JSON of a principal: the document as it gets it (default: without credentials)
  --api-version <name>      the document of a version of the API
  --help, -h

Exit code: 0 written, or equal; 1 it could not be made, or differs.
`;

/** Help of `restwright client`. */
export const clientHelp = `restwright client <module> [options]
restwright client <url of the OpenAPI document> [options]
restwright client <openapi.json> [options]

Prints a declaration file without imports, whose type Api is for createClient<Api>() of "restwright/client": for programs that do not have the service's own types. It is
made from the OpenAPI document of the service, so that the service needs openapi() of "restwright/openapi". A module is a JavaScript file that exports "service".

  --out <file>              file to write, such as api.d.ts (default: standard output)
  --check <file>            compares the declarations with the file, and writes nothing
  --as <file>               module: JSON of a principal, whose fields and operations are declared (default: without credentials)
  --api-version <name>      module: version of the API
  --token <token>           URL: bearer token (default: RESTWRIGHT_TOKEN of the environment)
  --header 'Name: value'    URL: header of the request; may be repeated
  --help, -h

Exit code: 0 written, or equal; 1 it could not be made, or differs.
`;
