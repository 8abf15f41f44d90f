import { snakeCase } from "../../../src/ground/options/snakeCase.js";
import { comment, type Item, listed, member, object, value, write } from "./code.js";
import { relations, uniqueKeys } from "./describeKeys.js";
import { type DescribedEnum, type DescribedTable, type Description, isReadOnly, titleOf } from "./describeTables.js";
import { queryWords } from "./names.js";

/** The program that defines the collections: formatted, and without anything that has to be filled in. */
export function printModule({ tables, enums, leftOut }: Description): string {
  const resources = tables.map((table) => resourceCode(table, tables));
  const hasRelations = resources.some((code) => code.includes("belongsTo("));
  const codes = new Set(tables.flatMap(({ fields }) => [...fields.types.values()].map(({ code }) => code)));
  const used = enums.filter(({ constant }) => codes.has(constant) || codes.has(`z.array(${constant})`));
  const parts = [
    `import { ${hasRelations ? "belongsTo, " : ""}defineResource } from "restwright";\n${valuesImport(codes)}import { z } from "zod";`,
    [
      "Made by `restwright introspect` from the tables of a database; change it as you like.",
      'All tenants share the rows: if a column holds the tenant, say tenant: { column } in "table".',
      ...leftOut,
    ]
      .map(comment)
      .join("\n"),
    ...used.map(enumCode),
    ...resources,
    `export const resources = ${write(
      listed(
        "[",
        tables.map(({ constant }) => constant),
        "]",
      ),
      "",
      "export const resources = ".length,
      1,
    )};`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The import of the types that zod lacks, if there is one among the codes, in an array too. */
function valuesImport(codes: ReadonlySet<string>): string {
  const used = ["bytes", "date", "decimal"].filter((name) =>
    [...codes].some((code) => code.startsWith(`${name}(`) || code.startsWith(`z.array(${name}(`)),
  );
  return used.length === 0 ? "" : `import { ${used.join(", ")} } from "restwright/values";\n`;
}

function enumCode({ constant, labels }: DescribedEnum): string {
  const start = `const ${constant} = `;
  return `${start}${write(listed("z.enum([", labels.map(value), "])"), "", start.length, 1)};`;
}

function resourceCode(table: DescribedTable, tables: readonly DescribedTable[]): string {
  const start = `export const ${table.constant} = defineResource(${value(table.collection)}, `;
  const options = write(object(optionsOf(table, tables)), "", 1_000, 2);
  return `${comment(`${table.catalog.kind === "view" ? "View" : "Table"} ${titleOf(table.table)}`)}\n${start}${options});`;
}

function optionsOf(table: DescribedTable, tables: readonly DescribedTable[]): Item[] {
  const { ids, fields } = table;
  const names = ids.map(({ name }) => fields.names.get(name) ?? name);
  const hasNoWrites = isReadOnly(table);
  const items: Item[] = [member("schema", { open: "z.object({", items: fields.members, close: "})" })];
  if (names.length > 1) items.push(member("id", listed("[", names.map(value), "]")));
  else if (table.whyNoId !== undefined) items.push({ comment: `There are lists only: ${table.whyNoId}.` }, member("id", "false"));
  else if (names[0] !== "id") items.push(member("id", value(names[0])));
  if (!hasNoWrites && fields.generated.size > 0)
    items.push(member("generated", object([...fields.generated].map(([field, maker]) => member(field, value(maker))))));
  const unique = hasNoWrites ? [] : uniqueKeys(table);
  if (unique.length > 0) items.push(member("unique", { open: "[", items: unique, close: "]" }));
  if (fields.heavy.length > 0) items.push(member("heavy", listed("[", fields.heavy.map(value), "]")));
  const related = relations(table, tables);
  if (related.length > 0) items.push(member("relations", object(related)));
  const renamed = [...fields.names.values()].filter((field) => queryWords.has(field));
  if (renamed.length > 0) items.push(member("param", object(renamed.map((field) => member(field, value(`${field}Field`))))));
  if (!hasNoWrites && fields.unfilled.length > 0) {
    items.push({ comment: `Rows cannot be created: no field fills ${fields.unfilled.map((column) => `"${column}"`).join(", ")}.` });
    items.push(member("operations", listed("[", ["list", "read", "update", "remove"].map(value), "]")));
  }
  items.push(member("table", object(tableOptions(table, hasNoWrites))));
  return items;
}

function tableOptions({ table, fields, instants }: DescribedTable, hasNoWrites: boolean): Item[] {
  const { schema, name, isVisible } = table;
  const names = [...fields.names];
  const isSnake = names.some(([column, field]) => column !== field && column === snakeCase(field));
  const rename = isSnake ? snakeCase : (field: string) => field;
  const epochOf = (column: string) => instants?.epochs.get(column);
  /** The name of a column, with the form of its instants if that is not text. */
  const named = (column: string) => {
    const form = epochOf(column);
    return form === undefined
      ? value(column)
      : object([member("name", value(column)), ...Object.entries(form).map(([option, given]) => member(option, value(given)))]);
  };
  const columns = names.filter(([column, field]) => column !== rename(field) || epochOf(column) !== undefined);
  return [
    member("name", isVisible ? value(name) : object([member("schema", value(schema)), member("name", value(name))])),
    member("managed", "false"),
    ...(isSnake ? [member("casing", value("snake_case"))] : []),
    ...(columns.length > 0 ? [member("columns", object(columns.map(([column, field]) => member(field, named(column)))))] : []),
    ...(hasNoWrites ? [] : [member("version", fields.version === undefined ? value("hash") : object([member("column", value(fields.version))]))]),
    ...(fields.updatedAt === undefined || hasNoWrites ? [] : [member("updatedAt", named(fields.updatedAt))]),
    ...(instants?.areWithoutZone === true ? [member("zone", value("UTC"))] : []),
    member("tenant", value("shared")),
    ...(hasNoWrites ? [member("readOnly", "true")] : []),
  ];
}
