/** The part of Swagger UI that is used; its file has been loaded before. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;

addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector<HTMLElement>("#swagger");
  const { document: path = "", try: tryIt } = place?.dataset ?? {};
  SwaggerUIBundle({
    url: new URL(path, location.href).href,
    dom_id: "#swagger",
    deepLinking: true,
    // It would be asked on the vendor's server.
    validatorUrl: null,
    persistAuthorization: false,
    ...(tryIt === undefined && { supportedSubmitMethods: [] }),
  });
});
