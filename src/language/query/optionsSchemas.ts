import { z } from "zod";
import { either, named, type Shape, text, texts } from "../../ground/options/index.js";
import type { QueryTableOptions } from "./table.js";

/** Schemas of the options for the names in queries. */
export function querySchemas(): Shape<Omit<QueryTableOptions, "collection" | "id" | "keepsDeleted">> {
  const operators = either("true, or an array of operators", z.literal(true), texts());
  return {
    filter: either("an array of fields, or an object with operators by their fields", texts(), named(operators)),
    sort: texts(),
    ranges: either("true, or an object with fields by their names", z.literal(true), named(text("the name of a field"))),
    search: texts(),
    param: named(text(), "an object with names by their fields"),
  };
}
