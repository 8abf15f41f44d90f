const common = `  --header 'Name: value'    goes with every request; may be repeated
  --token <token>           bearer token; also from RESTWRIGHT_TOKEN
  --quiet, -q               no progress and no summary, only what went wrong
  --json                    the finished job as JSON on standard output
  --help, -h`;

/** What the tool says of itself. */
export const mainHelp = `restwright: files into and out of a restwright service

  restwright import <file|-> --to <url of /imports>      CSV, NDJSON or JSON, gzip or not
  restwright export --from <url of /exports> --collection <name> --out <file|->

  restwright import --help
  restwright export --help
  restwright --version
`;

/** What it says of imports. */
export const importHelp = `restwright import <file|-> --to <url of /imports> [options]
restwright import <url of an import> [--resume]

  --to <url>                e.g. https://host/imports
  --collection <name>       what the rows are; else the name of the file up to its first dot
  --format <name>           csv, tsv, ndjson, jsonl, json; else by the name of the file
  --mode <mode>             insert, upsert, update
  --key <field>             tells which row is meant, for upsert and update
  --on-error <rule>         continue, stop (all rows or none)
  --max-errors <count>      more failed rows end the import
  --dry-run                 judge everything, keep nothing
  --map Header=field        the field of a column; may be repeated
  --unknown-columns <rule>  error, ignore
  --delimiter <char>        , ; | tab
  --offset <rows>           rows to pass over
  --skip-unchanged          leave rows alone that would be the same
  --formulas <rule>         literal, escaped
  --errors <path>           where failed rows go; else <file>.errors.csv
  --resume                  go on with the last import of the file, or look at it
  --idempotency-key <key>   else one of the file, the address and the options; "new" imports a file again
  --cancel-on-interrupt     Ctrl-C cancels the import; else it goes on without the command
${common}

Exit code: 0 all rows are imported, 2 some have failed and are saved, 1 the import has failed, 130 Ctrl-C.
`;

/** What it says of exports. */
export const exportHelp = `restwright export --from <url of /exports> --collection <name> --out <file|-> [options]
restwright export --from <url of an export> --out <file|->
restwright export --from 'https://host/users/export?status=active' --out <file|->

  --from <url>              the exports, an export that was made before, or the stream of a collection
  --collection <name>       whose rows
  --format <name>           csv, tsv, ndjson, jsonl, json; else by the name of the file
  --filter <json>           e.g. '{"status":"active"}'
  --sort <fields>           e.g. -createdAt,name
  --fields <fields>         e.g. id,name
  --delimiter <char>        , ; | tab
  --formulas <rule>         escape, literal
  --gzip                    compressed; also where the file ends in .gz
  --out <path>              "-" for standard output
${common}

Exit code: 0 the file is there, 1 it is not, 130 Ctrl-C.
`;
