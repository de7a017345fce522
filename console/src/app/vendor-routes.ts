import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

const vendors = createRoute({
  getParentRoute: () => shell,
  path: '/vendors',
  component: lazyPage(() => import('../pages/vendors/Vendors.tsx'), 'Vendors'),
});

const vendor = createRoute({
  getParentRoute: () => shell,
  path: '/vendors/$vid',
  component: lazyPage(() => import('../pages/vendor/Vendor.tsx'), 'Vendor'),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: lazyPage(() => import('../pages/account/Account.tsx'), 'Account'),
});

const integration = createRoute({
  getParentRoute: () => shell,
  path: '/integration',
  component: lazyPage(() => import('../pages/integration/Integration.tsx'), 'Integration'),
});

const pay = createRoute({
  getParentRoute: () => shell,
  path: '/pay',
  component: lazyPage(() => import('../pages/pay/Pay.tsx'), 'Pay'),
});

const bulk = createRoute({
  getParentRoute: () => shell,
  path: '/bulk',
  component: lazyPage(() => import('../pages/bulk/Bulk.tsx'), 'Bulk'),
});

const batch = createRoute({
  getParentRoute: () => shell,
  path: '/bulk/$reference',
  component: lazyPage(() => import('../pages/bulk/Batch.tsx'), 'Batch'),
});

const requests = createRoute({
  getParentRoute: () => shell,
  path: '/requests',
  component: lazyPage(() => import('../pages/requests/Requests.tsx'), 'Requests'),
});

const invoices = createRoute({
  getParentRoute: () => shell,
  path: '/invoices',
  component: lazyPage(() => import('../pages/invoices/Invoices.tsx'), 'Invoices'),
});

/** Pages about vendors, and a vendor's own pages. */
export const vendorRoutes = [
  vendors,
  vendor,
  account,
  integration,
  requests,
  invoices,
  pay,
  bulk,
  batch,
] as const;
