import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from './shell-route.ts';

const vendors = createRoute({
  getParentRoute: () => shell,
  path: '/vendors',
  component: lazyRouteComponent(() => import('../pages/vendors/Vendors.tsx'), 'Vendors'),
});

const vendor = createRoute({
  getParentRoute: () => shell,
  path: '/vendors/$vid',
  component: lazyRouteComponent(() => import('../pages/vendor/Vendor.tsx'), 'Vendor'),
});

/** Pages about vendors, and a vendor's own pages. */
export const vendorRoutes = [vendors, vendor] as const;
