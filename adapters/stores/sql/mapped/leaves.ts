import { snakeCase } from "../../../../src/ground/options/snakeCase.js";
import type { MappedField, MappedTable } from "../../../../src/ground/storage/model.js";
import type { ColumnName, ColumnNames } from "../../../../src/ground/storage/tableOptions.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";

/** A value of a row and the column that contains it. */
export interface Leaf {
  readonly path: Path;
  readonly column: string;
  /** The form of instants in the column, where it is not that of its type. */
  readonly as: "epoch-ms" | "epoch-s" | "mixed" | undefined;
  /** The form in which instants are written to a mixed column. */
  readonly write?: "epoch-ms" | "text" | undefined;
  readonly field: MappedField;
  /** The objects that it is a member of, the outermost first. */
  readonly above: readonly MappedField[];
}

/**
 * The columns of a mapping, in the order of the fields. An object whose members `columns` names has a column for each of them; any other is one column with JSON.
 *
 * @throws {Error} if `columns` names a field that the schema lacks
 */
export function leavesOf(collection: string, { options, fields }: MappedTable): readonly Leaf[] {
  const rename = options.casing === "snake_case" ? snakeCase : (name: string) => name;
  return leavesIn(collection, fields, options.columns ?? {}, [], rename);
}

function leavesIn(
  collection: string,
  fields: readonly MappedField[],
  names: ColumnNames,
  above: readonly MappedField[],
  rename: (name: string) => string,
): Leaf[] {
  for (const name of Object.keys(names)) {
    if (!fields.some((field) => field.name === name)) {
      throw new Error(
        `${collection}: "table.columns" names "${[...above.map((field) => field.name), name].join(".")}", which is not a field of the schema.`,
      );
    }
  }
  return fields.flatMap((field): Leaf[] => {
    const path = [...above, field].map((each) => each.name) as unknown as Path;
    const leaf = { path, as: undefined, field, above };
    const named = Object.hasOwn(names, field.name) ? names[field.name] : undefined;
    if (named === undefined) return [{ ...leaf, column: rename(field.name) }];
    if (typeof named === "string") return [{ ...leaf, column: named }];
    if (isColumnName(named)) return [{ ...leaf, column: named.name, as: named.as, write: named.as === "mixed" ? named.write : undefined }];
    if (isJson(named) && !field.members?.some(({ name }) => name === "json")) return [{ ...leaf, column: named.json }];
    if (field.members === undefined) {
      const given = Object.entries(named).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      throw new Error(
        `${collection}: "table.columns" has { ${given.join(", ")} } for "${path.join(".")}", whose members the schema does not list; ` +
          'write the name of a column, { name, as: "epoch-ms" }, { name, as: "epoch-s" }, { name, as: "mixed", write: "epoch-ms" }, { name, as: "mixed", write: "text" } or { json }.',
      );
    }
    return leavesIn(collection, field.members, named, [...above, field], rename);
  });
}

type Named = Exclude<ColumnNames[string], string>;

function isColumnName(named: Named): named is Exclude<ColumnName, string> {
  if (!("name" in named)) return false;
  const { as, write } = named as { readonly as: unknown; readonly write?: unknown };
  return as === "mixed" ? write === "epoch-ms" || write === "text" : write === undefined && (as === "epoch-ms" || as === "epoch-s");
}

function isJson(named: Named): named is { readonly json: string } {
  return "json" in named && typeof named.json === "string";
}
