import type { VisibleTo } from "../../engine/operation/answers/sentDocuments.js";
import { callable, either, flag, oneOf, optionsCheck, passing, strict } from "../../ground/options/index.js";

/** Options of {@link docs}. */
export interface DocsOptions {
  /** Where the first page is (`/docs`); all else is below it. */
  readonly path?: string | undefined;
  /** `restwright` (default): pages of this package. `swagger`: Swagger UI, which needs the package `swagger-ui-dist`. */
  readonly ui?: "restwright" | "swagger" | undefined;
  /** Whether requests can be sent from the page (`true`). */
  readonly tryIt?: boolean | undefined;
  /** Who gets the pages. Defaults to those who get the document. */
  readonly visibleTo?: VisibleTo | undefined;
}

/** @throws {ConfigurationError} for an unknown option or an invalid value */
export const checkDocsOptions = /* @__PURE__ */ optionsCheck("docs", () =>
  strict<DocsOptions>({
    path: passing('a path such as "/docs"', (value) => typeof value === "string" && /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(value)),
    ui: oneOf("restwright", "swagger"),
    tryIt: flag(),
    visibleTo: either('"everyone", "authenticated" or a function', oneOf("everyone", "authenticated"), callable()),
  }),
);
