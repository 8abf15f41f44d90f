import { ConfigurationError } from "../../../ground/problem/index.js";
import { makeAsset } from "../assets/asset.js";
import { swaggerScript } from "../assets/bundled.js";
import { html } from "../html/html.js";
import { keepPages } from "../keepPages.js";
import { pageHeaders } from "../policy.js";
import type { DocsUi } from "../ui.js";
import { readSwaggerFiles } from "./files.js";

/**
 * Swagger UI, which loads the document by a script.
 *
 * @throws {ConfigurationError} without its package, and if the document is not served
 */
export function swaggerUi({
  path,
  documentPath,
  tryIt,
}: {
  readonly path: string;
  readonly documentPath: string | false;
  readonly tryIt: boolean;
}): DocsUi {
  if (documentPath === false)
    throw new ConfigurationError(`docs: "ui" is "swagger", which loads the OpenAPI document: "path" of openapi() must not be false.`);
  const files = readSwaggerFiles();
  const style = makeAsset("swagger-ui.css", files.style);
  const scripts = [makeAsset("swagger-ui-bundle.js", files.script), makeAsset("swagger.js", swaggerScript)];
  const name = path.slice(path.lastIndexOf("/") + 1);
  const document = `${"../".repeat(path.split("/").length - 2) || "./"}${documentPath.slice(1)}`;
  return {
    assets: [style, ...scripts],
    headers: pageHeaders({ tryIt: true, trustedTypes: false }),
    hasMorePages: false,
    page: keepPages(({ text }) => {
      const { info } = JSON.parse(text) as { readonly info: { readonly title?: string } };
      return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${info.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${name}/assets/${style.path}" integrity="${style.integrity}">
${scripts.map((script) => html`<script src="${name}/assets/${script.path}" integrity="${script.integrity}"></script>`)}
</head>
<body>
<main id="swagger" data-document="${document}"${tryIt && html` data-try`}><noscript>This page needs a script; the <a href="${document}">OpenAPI document</a> does not.</noscript></main>
</body>
</html>
`.text;
    }),
  };
}
