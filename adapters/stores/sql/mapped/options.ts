import { z } from "zod";
import { either, flag, named, oneOf, optionsCheck, passing, strict, text, whole } from "../../../../src/ground/options/index.js";
import type { ColumnNames, ConstraintProblem, RaisedProblem, TableOptions } from "../../../../src/ground/storage/tableOptions.js";

const checks = new Map<string, (options: TableOptions) => void>();

/** Refuses options of a `table` that are unknown or of a wrong type. @throws {ConfigurationError} */
export function checkTableOptions(collection: string, options: TableOptions): void {
  let check = checks.get(collection);
  if (check === undefined) {
    check = optionsCheck(`defineResource("${collection}"): table`, schema) as (options: TableOptions) => void;
    checks.set(collection, check);
  }
  check(options);
}

function schema(): z.ZodType {
  const column = () => strict({ column: text("the name of a column") }, ["column"]);
  return strict<TableOptions>(
    {
      name: either("a name, or { schema, name }", text(), strict({ schema: text(), name: text() }, ["schema", "name"])),
      managed: oneOf(false),
      casing: oneOf("snake_case"),
      columns: columnsSchema(),
      version: either(
        '"hash", "xmin" or { column, by }',
        oneOf("hash", "xmin"),
        strict({ column: text("the name of a column"), by: oneOf("restwright", "trigger") }, ["column"]),
      ),
      updatedAt: either("the name of a column, or { name, as }", text(), instants()),
      tenant: either('"shared" or { column }', oneOf("shared"), column()),
      softDelete: strict({ column: text("the name of a column"), as: oneOf("boolean", "epoch-ms", "epoch-s"), restore: flag() }, ["column"]),
      readOnly: flag(),
      zone: text("a time zone, such as UTC"),
      unreadable: oneOf("fail", "null"),
      constraints: named(
        strict<ConstraintProblem>({ field: text(), detail: text() }, ["detail"]),
        "an object with problems by the names of constraints",
      ),
      raised: named(
        strict<RaisedProblem>({ status: whole(400, 499), code: passing('a code in upper case, such as "ORDER_SHIPPED"', isOwnCode) }, [
          "status",
          "code",
        ]),
        "an object with problems by SQLSTATE",
      ),
      showRaised: flag(),
      fold: named(text("the name of a column"), "an object with columns by fields"),
    },
    ["name", "managed", "tenant"],
  );
}

/** As `problem` takes it, which would otherwise fail when a trigger raises the error. */
function isOwnCode(code: unknown): boolean {
  return typeof code === "string" && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(code);
}

/** That a mixed column needs `write`, and no other has it, is checked with the columns. */
function instants(): z.ZodType {
  return strict({ name: text(), as: oneOf("epoch-ms", "epoch-s", "mixed"), write: oneOf("epoch-ms", "text") }, ["name", "as"]);
}

function columnsSchema(): z.ZodType {
  const name: z.ZodType = z.lazy(() =>
    either(
      "the name of a column, { name, as }, { json }, or columns by the members of an object",
      text(),
      instants(),
      strict({ json: text() }, ["json"]),
      z.record(z.string(), name),
    ),
  );
  return named(name, "an object with columns by fields") as z.ZodType<ColumnNames>;
}
