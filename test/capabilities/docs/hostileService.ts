import { createService, defineResource } from "restwright";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { type OpenApiDocument, openapi } from "restwright/openapi";
import { z } from "zod";

/** Texts that would be more than texts on a page that is careless. Each has the word `hostile`. */
export const hostileTexts: readonly string[] = [
  "<script>alert('hostile')</script>",
  '"><img src=x onerror=alert("hostile")>',
  "' onfocus='alert(`hostile`)' autofocus='",
  "</textarea></title></style><svg onload=alert('hostile')>",
  "[hostile](javascript:alert(1)) <a href=javascript:alert(1)>hostile</a>",
  "![hostile](https://hostile.example/pixel.png)",
  "hostile\u0000\u001b[31m \u202Eelitsoh\u2066 \u200F",
  "`hostile` ```\n</code></pre><iframe src=https://hostile.example>",
  "${alert('hostile')} {{constructor.constructor('hostile')()}}",
];

const all = hostileTexts.join("\n\n");

const things = defineResource("things", {
  schema: z.object({
    id: z.int(),
    name: z.string().meta({ title: hostileTexts[0], description: all, examples: [...hostileTexts] }),
    kind: z.enum(hostileTexts as [string, ...string[]]).default(hostileTexts[1] ?? ""),
  }),
  generated: { id: "increment" },
});

/** A service whose descriptions come from an attacker, also where the library itself would not let them. */
export function hostileService() {
  const transform = (document: OpenApiDocument): OpenApiDocument => {
    const paths = Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([method, operation]) => [
            method,
            method === "post" ? { ...(operation as object), summary: hostileTexts[1], description: all } : operation,
          ]),
        ),
      ]),
    );
    const evil = {
      get: {
        operationId: '"><script>alert("hostile")</script>',
        summary: hostileTexts[3],
        tags: [hostileTexts[0]],
        responses: { '"><b>': { description: all } },
      },
    };
    const schemas = {
      ...document.components["schemas"],
      '"><img onerror=hostile>': { type: "object", properties: { [hostileTexts[1] ?? ""]: { type: "string", pattern: hostileTexts[0] } } },
    };
    return { ...document, paths: { ...paths, '/"><script>hostile</script>/{</script>}': evil }, components: { ...document.components, schemas } };
  };
  const info = {
    title: hostileTexts[3] ?? "",
    version: hostileTexts[1] ?? "",
    description: all,
    termsOfService: "javascript:alert('hostile')",
    contact: { name: hostileTexts[0], url: "javascript:alert('hostile')" },
  };
  const servers = [{ url: "javascript:alert('hostile')", description: all }];
  return createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    use: [openapi({ info, servers, transform, tags: [{ name: "things", description: all }] }), docs()],
  });
}
