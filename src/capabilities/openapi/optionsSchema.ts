import { callable, either, listOf, named, oneOf, optionsCheck, passing, strict, text } from "../../ground/options/index.js";
import type { DocumentFor, DocumentPart, OpenApiOptions } from "./options.js";

const path = () =>
  passing('a path such as "/openapi.json"', (value) => typeof value === "string" && /^\/[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/.test(value));
const schema = () => passing("a JSON Schema", (value) => typeof value === "object" && value !== null && !Array.isArray(value));
const componentName = () =>
  passing("a name of letters, digits and underscores", (value) => typeof value === "string" && /^[A-Za-z][A-Za-z0-9_]*$/.test(value));

const documentPart = () => strict<DocumentPart>({ tags: listOf(text(), "an array of names of groups", 1) }, ["tags"]);

/** @throws {ConfigurationError} for an unknown option or an invalid value */
export const checkDocumentFor = /* @__PURE__ */ optionsCheck("document", () =>
  strict<DocumentFor>({
    principal: passing(`a principal, such as { id: "ann" }`, (value) => typeof value === "object" && value !== null),
    apiVersion: text(),
    only: documentPart(),
  }),
);

/** @throws {ConfigurationError} for an unknown option or an invalid value */
export const checkOpenApiOptions = /* @__PURE__ */ optionsCheck("openapi", () =>
  strict<OpenApiOptions>(
    {
      info: strict<OpenApiOptions["info"]>(
        {
          title: text(),
          version: text(),
          description: text(),
          summary: text(),
          termsOfService: text(),
          contact: strict({ name: text(), url: text(), email: text() }),
          license: strict({ name: text(), identifier: text(), url: text() }, ["name"]),
        },
        ["title", "version"],
      ),
      version: oneOf("3.1", "3.2"),
      servers: listOf(strict({ url: text(), description: text() }, ["url"]), "an array of servers"),
      tags: listOf(strict({ name: text(), description: text() }, ["name"]), "an array of tags"),
      schemas: named(schema(), "an object with a JSON Schema for each field"),
      names: named(componentName(), "an object with a name for each collection"),
      filters: oneOf("deep", "flat"),
      only: documentPart(),
      path: either('a path such as "/openapi.json", or false', path(), oneOf(false)),
      visibleTo: either('"everyone", "authenticated" or a function', oneOf("everyone", "authenticated"), callable()),
      transform: callable(),
    },
    ["info"],
  ),
);
