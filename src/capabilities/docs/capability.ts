import type { Capability } from "../../engine/capability/capability.js";
import { describedThere, sentDocuments } from "../../engine/operation/answers/sentDocuments.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { docsRoutes } from "./operations.js";
import { checkDocsOptions, type DocsOptions } from "./options.js";
import { ownUi } from "./ownUi.js";
import { swaggerUi } from "./swagger/swaggerUi.js";

/**
 * Shows the OpenAPI document of `openapi()` as pages at `/docs`: rendered for each caller from what it may see, complete without a script, under a strict
 * Content-Security-Policy. Requests can be sent from them.
 *
 * @throws {ConfigurationError} for an unknown option, without `openapi()`, and for `ui: "swagger"` without its package
 * @example
 * createService({ resources, storage, use: [openapi({ info: { title: "Shop", version: "1.0.0" } }), docs()] });
 */
export function docs(options: DocsOptions = {}): Capability {
  checkDocsOptions(options);
  const { path = "/docs", ui: kind = "restwright", tryIt = true } = options;
  return {
    name: "docs",
    requires: ["openapi"],
    paths: { [path.split("/")[1] ?? ""]: describedThere },
    open({ environment }) {
      const documents = environment.offers.get(sentDocuments);
      if (documents === undefined) throw new ConfigurationError("docs() needs openapi() of restwright/openapi.");
      checkDocumentPath(documents.path, path);
      const ui = (kind === "swagger" ? swaggerUi : ownUi)({ path, documentPath: documents.path, tryIt });
      return { routes: docsRoutes({ ui, documents, visibleTo: options.visibleTo ?? documents.visibleTo, service: environment }, path) };
    },
  };
}

/** The document may be below the first page, but not in place of a page or a file. */
function checkDocumentPath(document: string | false, path: string): void {
  if (
    document === false ||
    (!["", "/reference"].some((page) => document === path + page) && !["/tags/", "/assets/"].some((folder) => document.startsWith(path + folder)))
  )
    return;
  throw new ConfigurationError(`openapi: "path" is "${document}", where docs() has a page or a file; write a path such as "${path}/openapi.json".`);
}
