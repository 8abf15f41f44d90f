/** Elements that draw something. */
export const graphics: ReadonlySet<string> = new Set("path rect circle ellipse line polyline polygon text image use".split(" "));

const structure =
  "svg g defs symbol switch view a title desc style tspan textPath marker mask pattern clipPath linearGradient radialGradient stop filter";
const effects =
  "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB" +
  " feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence";
const animations = "animate animateMotion animateTransform mpath set";

/** The SVG elements that are kept. */
export const elements: ReadonlySet<string> = new Set([...graphics, ...`${structure} ${effects} ${animations}`.split(" ")]);

/** The elements whose text is kept. */
export const textElements: ReadonlySet<string> = new Set("text tspan textPath a title desc".split(" "));

/** The elements that animate an attribute. */
export const animatingElements: ReadonlySet<string> = new Set("animate animateTransform set".split(" "));

/** The elements that may refer to an image in a data URL. */
export const imageElements: ReadonlySet<string> = new Set(["image", "feImage"]);

const core = "id class lang role style tabindex version baseProfile";
const presentation =
  "alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters direction display dominant-baseline enable-background" +
  " fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant font-weight" +
  " image-rendering isolation kerning letter-spacing lighting-color marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow" +
  " paint-order pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit" +
  " stroke-opacity stroke-width text-anchor text-decoration text-overflow text-rendering transform transform-origin unicode-bidi vector-effect visibility" +
  " white-space word-spacing writing-mode";
const geometry =
  "x y x1 x2 y1 y2 dx dy cx cy r rx ry fx fy fr d points width height viewBox preserveAspectRatio pathLength offset rotate textLength lengthAdjust startOffset" +
  " method side spacing gradientTransform gradientUnits spreadMethod patternContentUnits patternTransform patternUnits markerHeight markerUnits markerWidth orient" +
  " refX refY maskContentUnits maskUnits clipPathUnits requiredExtensions requiredFeatures systemLanguage media type";
const filters =
  "filterUnits primitiveUnits in in2 result mode values operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY edgeMode preserveAlpha surfaceScale" +
  " diffuseConstant specularConstant specularExponent kernelUnitLength scale xChannelSelector yChannelSelector stdDeviation radius azimuth elevation z pointsAtX" +
  " pointsAtY pointsAtZ limitingConeAngle baseFrequency numOctaves seed stitchTiles tableValues slope intercept amplitude exponent";
const animated =
  "attributeName attributeType from to by begin dur end min max restart repeatCount repeatDur calcMode keyTimes keySplines keyPoints additive accumulate path origin";

/** The attributes that are kept, besides references and those of accessibility. */
export const attributes: ReadonlySet<string> = new Set([core, presentation, geometry, filters, animated].join(" ").split(" "));

/** The attributes that may be animated; their values are not checked. */
export const animatable: ReadonlySet<string> = new Set(`${presentation} ${geometry} ${filters}`.split(" "));
